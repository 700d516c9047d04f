"""A bank's own customers, in every implementation: imported as the line says, and forgotten."""

from tests.contract.conftest import Place

from chainteller.service.models.customers import CustomerLine, ForgetCustomer, ImportCustomers
from chainteller.service.models.pages import ListQuery


def line(number: int, reference: str, name: str, account: str | None = None) -> CustomerLine:
    return CustomerLine(
        line=number,
        reference=reference,
        name=name,
        kyc_level="enhanced",
        terms_accepted=True,
        bank_account_id=account,
        bank_account_type="checking" if account else None,
        bank_account_balance="12.50" if account else None,
    )


def test_customers_are_imported_once_and_forgotten_for_good(place: Place) -> None:
    lines = (
        line(1, "C-10", "Adelheid Baum", "ACC-10"),
        line(2, "C-10", "Adelheid Baum", "ACC-11"),
        line(3, "C-20", "Bell \a Ringing"),
        line(4, "C 4", "Nobody"),
        line(5, "C-30", "Ernst Taken", "DDA-1"),
        line(6, "C-40", "Ernst Baum"),
    )
    request = ImportCustomers(lines=lines)
    told = [(3, "NAME_INVALID"), (4, "REFERENCE_INVALID"), (5, "BANK_ACCOUNT_TAKEN")]
    checked = place.admin.check_customer_import(request)
    assert place.service.customers(ListQuery(text="Baum")).data == ()
    done = place.admin.import_customers(request).value
    again = place.admin.import_customers(request).value
    assert checked == done
    assert (done.created, done.bank_accounts, again.created, again.unchanged) == (2, 2, 0, 3)
    for each in (done, again):
        assert [(one.line, one.error) for one in each.refused] == told
    first = place.admin.forget_customer(ForgetCustomer(reference="C-10"), idempotency_key="k")
    second = place.admin.forget_customer(ForgetCustomer(reference="C-10"))
    assert (first.value.id, second.value.id) == (first.value.id,) * 2
    assert [each.name for each in place.service.customers(ListQuery(text="Baum")).data] == [
        "Ernst Baum"
    ]
    (refused, *_) = place.admin.import_customers(request).value.refused
    assert refused.error == "CUSTOMER_FORGOTTEN"
