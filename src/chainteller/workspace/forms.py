"""The forms in which receipts and statements are written."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chainteller.workspace.documents import Document

FORMS = {"text": "txt", "json": "json", "csv": "csv", "pdf": "pdf"}
"""Each form, and the ending of its file's name."""


def label(form: str) -> str:
    """What a form is called where it's offered, with what it needs and isn't there."""
    if form == "pdf":
        from chainteller.workspace.pdf import is_available  # noqa: PLC0415 - lists don't need it

        return "PDF" if is_available() else "PDF (not installed)"
    return form if form == "text" else form.upper()


def written(document: "Document", form: str) -> str | bytes:
    """The document as ``text`` or, in bytes, as ``pdf``. Raises PdfUnavailable: the extra for PDF
    isn't installed."""
    from chainteller.workspace.documents import as_text  # noqa: PLC0415 - as above
    from chainteller.workspace.pdf import as_pdf  # noqa: PLC0415 - as above

    return as_text(document) if form == "text" else as_pdf(document)
