"""The forms in which receipts and statements are written."""

from chainteller.workspace.documents import Document, as_text
from chainteller.workspace.pdf import as_pdf, is_available

FORMS = {"text": "txt", "json": "json", "csv": "csv", "pdf": "pdf"}
"""Each form, and the ending of its file's name."""


def label(form: str) -> str:
    """What a form is called where it's offered, with what it needs and isn't there."""
    if form == "pdf" and not is_available():
        return "PDF (not installed)"
    return form if form == "text" else form.upper()


def written(document: Document, form: str) -> str | bytes:
    """The document as ``text`` or, in bytes, as ``pdf``.

    Raises:
        PdfUnavailable: the extra for PDF isn't installed.
    """
    return as_text(document) if form == "text" else as_pdf(document)
