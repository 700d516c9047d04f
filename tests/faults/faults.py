# ruff: noqa: E501 - texts of the source in one piece
"""Faults to plant in screens and flows, each with the tests that should catch it."""

QUOTE = "tests/tui/test_quote.py"
CUSTOMER = "tests/tui/test_customer.py"
TRADES = "tests/tui/test_trades.py"
ACCOUNTS = "tests/tui/test_accounts.py"
KEYSTROKES = "tests/tui/test_keystrokes.py"
MAIN_FLOW = "tests/tui/test_main_flow.py"
WITHDRAWALS = "tests/tui/test_wallet_withdrawals.py"
WALLETS = "tests/tui/test_wallets.py"
DIALOGS = "tests/tui/test_dialogs.py"
APP = "tests/tui/test_app_actions.py"
CONFIRMATIONS = "tests/tui/test_confirmations.py"
TRANSFERS = "tests/tui/test_transfers.py"
AMOUNTS = "tests/amounts/test_every_entrance.py"
OWNERSHIP = "tests/service/test_ownership.py"
READ_ONLY = "tests/service/test_read_only.py"
OUTCOMES = "tests/remote/test_unknown_outcomes.py"
MISBEHAVING = "tests/remote/test_misbehaving_servers.py"
RESTORED = "tests/tui/test_restored_state.py"
RECORDING = "tests/workspace/test_recording.py"
TRADING = "tests/cli/test_trading.py"
TRANSFER_COMMANDS = "tests/cli/test_transfer_records.py"
TERMINAL = "tests/cli/test_terminal.py"
WRONG_ANSWERS = "tests/cli/test_wrong_answers.py"
WALKER = "tests/walker/test_walker.py"


class Fault:
    """A wrong piece of text in the place of a right one, which its file has exactly once.

    Args:
        name: What is wrong then.
        file: Where, below ``src/chainteller``.
        right: The text that is replaced.
        wrong: What it is replaced by.
        tests: The files of tests that should notice; the walker is tried after them.
    """

    def __init__(self, name: str, file: str, right: str, wrong: str, *tests: str) -> None:
        self.name, self.file, self.right, self.wrong, self.tests = name, file, right, wrong, tests


_FLOW = "tui/quote/flow.py"
_STATE = "tui/quote/state.py"
_QUOTE = "tui/quote/screen.py"
_ACCOUNT_FLOW = "tui/accounts/flow.py"
_ACCOUNTS = "tui/accounts/screen.py"
_CUSTOMER_LIST = "tui/customer_list.py"
_WALLET_FLOW = "tui/wallets/flow.py"
_QUESTION = "tui/dialogs/question.py"
_CUSTOMER = "tui/customer.py"
_DESK = "tui/desk.py"
_RECORDING = "workspace/recording.py"
_OUTCOMES = "workspace/outcomes.py"
_TERMS = "workspace/terms.py"
_FORMATS = "records/formats.py"
_TRANSFERS = "tui/transfers/screen.py"
_TRANSFER_FLOW = "tui/transfers/flow.py"
_FIELD = "tui/widgets/field.py"
_OWNERSHIP = "service/ownership.py"
_TRANSFER_COMMANDS = "cli/transfers.py"
_RECORD_COMMANDS = "cli/transfer_records.py"
_TRADE_COMMANDS = "cli/trades.py"

FAULTS = (
    # -- what is sent ----------------------------------------------------------------------------
    Fault(
        "the other side is quoted",
        _FLOW,
        "QuoteRequest(amount=amount, side=side,",
        'QuoteRequest(amount=amount, side="sell" if side == "buy" else "buy",',
        f"{CONFIRMATIONS}::test_an_execution_names_customer_account_quote_and_amounts",
    ),
    Fault(
        "the quoted amount is a hundred times as much",
        _FLOW,
        "QuoteRequest(amount=amount, side=side,",
        'QuoteRequest(amount=amount.replace(".", "") + ".00", side=side,',
        f"{CONFIRMATIONS}::test_an_execution_names_customer_account_quote_and_amounts",
    ),
    Fault(
        "a quote is bound to no account",
        _FLOW,
        "side=side, trading_account_id=state.account_id)",
        "side=side)",
        f"{CUSTOMER}::test_a_half_typed_amount_comes_back_with_its_customer",
    ),
    Fault(
        "a deposit is a hundred times as much",
        _ACCOUNT_FLOW,
        "request = DepositRequest(amount=amount,",
        'request = DepositRequest(amount=amount.replace(".", "") + ".00",',
        f"{AMOUNTS}::test_a_field_sends_what_it_read_back_or_refuses",
    ),
    Fault(
        "a withdrawal is a hundred times as much",
        _ACCOUNT_FLOW,
        "request = WithdrawalRequest(amount=amount,",
        'request = WithdrawalRequest(amount=amount.replace(".", "") + ".00",',
        f"{ACCOUNTS}::test_a_withdrawal_asks_with_amount_and_account",
    ),
    Fault(
        "executions go out without the agent's key",
        _FLOW,
        "return service.execute_quote(quote.id, request, idempotency_key=key).value",
        "return service.execute_quote(quote.id, request).value",
        f"{CUSTOMER}::test_two_quick_executions_and_a_second_y_send_one",
    ),
    Fault(
        "an execution is sent twice",
        _FLOW,
        "        return service.execute_quote(quote.id, request, idempotency_key=key).value",
        "        service.execute_quote(quote.id, request, idempotency_key=key)\n"
        "        return service.execute_quote(quote.id, request, idempotency_key=key).value",
        f"{CUSTOMER}::test_two_quick_executions_and_a_second_y_send_one",
    ),
    Fault(
        "a deposit is sent twice under two keys",
        _ACCOUNT_FLOW,
        "    return service.deposit(account_id, request, idempotency_key=key).value",
        "    service.deposit(account_id, request)\n"
        "    return service.deposit(account_id, request, idempotency_key=key).value",
        f"{CONFIRMATIONS}::test_a_large_deposit_is_typed_again",
    ),
    # -- confirmations ---------------------------------------------------------------------------
    Fault(
        "executions aren't confirmed",
        _QUOTE,
        "        trade = await screen.desk.send(request, sending)",
        "        trade = await screen.desk.send(request._replace(renew=None), sending)",
        f"{MAIN_FLOW}::test_no_other_key_than_y_executes",
    ),
    Fault(
        "no question is asked at all",
        _DESK,
        "        if asked is not None and not await self.confirm(asked, self._watch(request, service)):\n"
        "            return None\n",
        "",
        f"{MAIN_FLOW}::test_no_other_key_than_y_executes",
    ),
    Fault(
        "withdrawals aren't confirmed",
        _ACCOUNT_FLOW,
        "CustomerRequest(account.id, call, question, check",
        "CustomerRequest(account.id, call, None, check",
        f"{ACCOUNTS}::test_a_withdrawal_asks_with_amount_and_account",
    ),
    Fault(
        "large deposits aren't confirmed",
        _ACCOUNT_FLOW,
        "question if retype else None",
        "None",
        f"{CONFIRMATIONS}::test_a_large_deposit_is_typed_again",
    ),
    Fault(
        "large executions aren't typed again",
        _FLOW,
        "        retype=retype_above(confirm_above_cents, usd.amount),\n",
        "",
        f"{CONFIRMATIONS}::test_a_large_execution_is_typed_again",
    ),
    Fault(
        "large withdrawals aren't typed again",
        _ACCOUNT_FLOW,
        '(f"to the customer\'s bank account {account.bank_account_id}",),\n'
        "        retype=retype_above(confirm_above_cents, amount),\n",
        '(f"to the customer\'s bank account {account.bank_account_id}",),\n',
        f"{CONFIRMATIONS}::test_a_large_withdrawal_to_the_bank_is_typed_again",
    ),
    Fault(
        "large withdrawals to wallets aren't typed again",
        _WALLET_FLOW,
        "        retype=retype_above(confirm_above_cents, usd, amount),\n",
        "",
        f"{CONFIRMATIONS}::test_a_large_withdrawal_to_a_wallet_is_typed_again",
    ),
    Fault(
        "the limit for typing again is a hundred times as high",
        _QUESTION,
        "> limit_cents * _CENT\n",
        "> limit_cents * _CENT * 100\n",
        f"{CONFIRMATIONS}::test_a_large_execution_is_typed_again",
    ),
    Fault(
        "any amount typed again will do",
        _QUESTION,
        "is_same_amount(self._typed, self._asked.retype)",
        "bool(self._typed)",
        f"{CONFIRMATIONS}::test_a_large_execution_is_typed_again",
    ),
    Fault(
        "y counts before the amount was typed again",
        _QUESTION,
        "        if self._confirmed:\n            self._answer(yes=True)",
        "        if True:\n            self._answer(yes=True)",
        f"{CONFIRMATIONS}::test_a_large_execution_is_typed_again",
    ),
    Fault(
        "enter confirms",
        _QUESTION,
        'elif event.key == "y":',
        'elif event.key in {"y", "enter"}:',
        f"{MAIN_FLOW}::test_no_other_key_than_y_executes",
    ),
    Fault(
        "n says yes",
        _QUESTION,
        "            self._answer(yes=False)",
        "            self._answer(yes=True)",
        f"{MAIN_FLOW}::test_no_other_key_than_y_executes",
    ),
    Fault(
        "a question is answered that the window can't show",
        _QUESTION,
        "return size.width >= LEAST_WIDTH and size.height >= LEAST_HEIGHT",
        "return True",
        f"{CONFIRMATIONS}::test_yes_does_not_count_in_a_window_that_cannot_show_the_question",
    ),
    Fault(
        "the execution's question names the other side's amounts",
        _FLOW,
        'if quote.side == "sell":\n        base, usd = usd, base',
        'if quote.side == "buy":\n        base, usd = usd, base',
        f"{CONFIRMATIONS}::test_an_execution_names_customer_account_quote_and_amounts",
    ),
    Fault(
        "a trade's cancellation isn't confirmed",
        "tui/trades/flow.py",
        "        renew=partial(_question, account_id, trade.id),\n",
        "",
        f"{CONFIRMATIONS}::test_the_trade_selected_among_several_is_the_one_that_is_named_and_cancelled",
    ),
    # -- the right customer ----------------------------------------------------------------------
    Fault(
        "requests for a customer who isn't served are sent",
        _CUSTOMER,
        "if account_id not in {None, self.account_id}:",
        'if account_id == "":',
        f"{CUSTOMER}::test_what_was_confirmed_for_another_customer_is_not_sent",
    ),
    Fault(
        "screens aren't told of another customer",
        _CUSTOMER,
        "            self.trade_to_show = None\n            self.on_change.publish(before)",
        "            self.trade_to_show = None",
        f"{CUSTOMER}::test_a_list_of_the_customer_before_is_gone_before_the_next_one_comes",
    ),
    Fault(
        "late data of another customer is taken",
        _CUSTOMER,
        "        if account.id == self.account_id:\n            self._account = account",
        "        if account.id:\n            self._account = account",
        f"{CUSTOMER}::test_accounts_follows_the_customer_that_another_screen_turned_to",
    ),
    Fault(
        "one order for all customers",
        _STATE,
        "return self._by_account.setdefault(account_id, QuoteState(account_id, market=market))",
        'return self._by_account.setdefault("", QuoteState(account_id, market=market))',
        f"{CUSTOMER}::test_a_quote_is_put_away_and_comes_back_with_its_customer",
    ),
    Fault(
        "the quote of another customer is executed",
        _FLOW,
        "    if account_id != state.account_id or quote.trading_account_id not in {None, account_id}:",
        "    if not account_id:",
        f"{CUSTOMER}::test_a_quote_is_executed_only_in_its_own_account_and_as_shown",
    ),
    Fault(
        "a trade's account is the first customer listed",
        _CUSTOMER_LIST,
        'return record.trading_account_id or seen or ("" if self.shows_all else self.listed_account)',
        "return self.listed_account or record.trading_account_id or seen",
        f"{CONFIRMATIONS}::test_cancelling_out_of_all_accounts_serves_the_trades_own_customer",
    ),
    Fault(
        "trades list those of everybody",
        _CUSTOMER_LIST,
        "account_id = None if screen.shows_all else screen.listed_account",
        "account_id = None",
        f"{CUSTOMER}::test_a_list_of_the_customer_before_is_gone_before_the_next_one_comes",
    ),
    Fault(
        "the detail stays with the customer before",
        _ACCOUNTS,
        "scroll_to_start()\n        self.draw()",
        "scroll_to_start()",
        f"{CUSTOMER}::test_the_detail_of_the_customer_before_is_gone_before_the_next_one_comes",
    ),
    Fault(
        "an amount typed for another customer is kept",
        "tui/desk_screen.py",
        "        _put_field_away(self)\n        if self.is_current:",
        "        if self.is_current:",
        f"{CUSTOMER}::test_an_amount_typed_for_one_customer_is_not_moved_for_another",
    ),
    Fault(
        "the cursor serves nobody",
        _ACCOUNTS,
        "            self.desk.customer.serve(account)\n        if self._detail_timer",
        "            pass\n        if self._detail_timer",
        f"{CUSTOMER}::test_the_account_under_the_cursor_is_the_customer_served",
    ),
    Fault(
        "a pasted account is found and not served",
        _ACCOUNTS,
        "self.filter, self.wanted_id, self.serves_found = text, wanted_id, True",
        "self.filter, self.wanted_id, self.serves_found = text, wanted_id, False",
        f"{RESTORED}::test_only_the_same_agent_goes_on_with_the_customer_and_only_for_a_while",
    ),
    Fault(
        "the field stays open for the next customer",
        "tui/desk_screen.py",
        "        _put_field_away(self)\n",
        "        if not before:\n            _put_field_away(self)\n",
        f"{CUSTOMER}::test_a_half_typed_amount_comes_back_with_its_customer",
    ),
    Fault(
        "the title keeps the customer before",
        _QUOTE,
        "        self.title_line(quote_view.title(self.desk.customer.account))",
        "        if not self.query_one('#title', Lines).plain_text.strip():\n"
        "            self.title_line(quote_view.title(self.desk.customer.account))",
        f"{CUSTOMER}::test_a_quote_is_put_away_and_comes_back_with_its_customer",
    ),
    Fault(
        "another customer's trade takes the screen",
        _QUOTE,
        "    if state is not screen.state:\n        return\n    screen.clear_failure()",
        "    screen.clear_failure()",
        f"{CUSTOMER}::test_an_unknown_outcome_is_looked_for_under_its_owner",
    ),
    Fault(
        "the refusal of a request stays for the next customer",
        "tui/desk_screen.py",
        "        if before and self.query_one(FailurePanel).is_shown:\n"
        "            self.clear_failure()",
        "        if not before and self.query_one(FailurePanel).is_shown:\n"
        "            self.clear_failure()",
        f"{CUSTOMER}::test_a_refusal_is_not_read_to_the_next_customer",
    ),
    # -- the right quote -------------------------------------------------------------------------
    Fault(
        "an expired quote can be executed",
        _STATE,
        "        return now <= from_datetime(quote.expires)\n\n    # -- the form",
        "        return True\n\n    # -- the form",
        f"{QUOTE}::test_a_quote_says_when_it_runs_out_and_is_not_executed_after_that",
    ),
    # -- the form",
    # -- the form",
    Fault(
        "the quote of another market or side stays on the screen",
        _STATE,
        "if quote is None or (quote.market_name, quote.side) != asked:",
        "if quote is None or not asked:",
        f"{CUSTOMER}::test_a_quote_is_put_away_and_comes_back_with_its_market",
    ),
    Fault(
        "the amount stays when the asset sold changes",
        _STATE,
        '        if self.sold_unit != before:\n            self.amount = ""\n',
        "",
        f"{QUOTE}::test_an_amount_is_dropped_when_another_asset_is_sold",
    ),
    Fault(
        "a quote is executed after another one has taken its place",
        _FLOW,
        "if _executable(state, account.id).id != quote.id:",
        'if _executable(state, account.id).id == "":',
        f"{CUSTOMER}::test_a_quote_that_was_replaced_while_it_was_confirmed_is_not_executed",
    ),
    Fault(
        "an execution in flight can be repeated",
        _STATE,
        "IN_FLIGHT = frozenset({Phase.SENDING, Phase.UNKNOWN})",
        "IN_FLIGHT = frozenset({Phase.SENDING})",
        f"{QUOTE}::test_an_unanswered_execution_is_locked_and_looked_for",
    ),
    Fault(
        "the quote's panel says executed before the trade is known",
        _STATE,
        "            self.phase, self.search = Phase.UNKNOWN,",
        "            self.phase, self.search = Phase.USED,",
        f"{QUOTE}::test_an_unanswered_execution_is_locked_and_looked_for",
    ),
    Fault(
        "the fee is shown as what the customer gives",
        "tui/quote/view.py",
        'term(gives, sold.amount, sold.symbol, "")',
        'term(gives, fees.total or "-", sold.symbol, "")',
        f"{QUOTE}::test_the_panel_shows_what_the_customer_gives_and_gets",
    ),
    # -- trades and wallets ----------------------------------------------------------------------
    Fault(
        "another trade of the list is cancelled",
        "tui/trades/commands.py",
        "trades_flow.cancel(trade, screen.owner_of(trade))",
        "trades_flow.cancel([*screen.records.values()][-1], screen.owner_of(trade))",
        f"{CONFIRMATIONS}::test_the_trade_selected_among_several_is_the_one_that_is_named_and_cancelled",
    ),
    Fault(
        "an executed trade is asked about",
        "tui/trades/flow.py",
        "    reason = why_not_cancelled(trade)\n    if reason:\n        raise TradeNotCancellable",
        "    reason = why_not_cancelled(trade)\n    if False:\n        raise TradeNotCancellable",
        f"{CONFIRMATIONS}::test_an_executed_trade_is_not_asked_about",
    ),
    Fault(
        "a withdrawal goes to the bank in place of the wallet",
        _WALLET_FLOW,
        'type="counterparty",',
        'type="bank-account",',
        f"{WITHDRAWALS}::test_a_withdrawal_to_a_verified_wallet_asks_with_the_whole_address",
    ),
    Fault(
        "a withdrawal names another wallet",
        _WALLET_FLOW,
        "        counterparty_id=wallet.counterparty.id,\n        blockchain_account_id",
        "        counterparty_id=wallet.account.id,\n        blockchain_account_id",
        f"{WITHDRAWALS}::test_a_withdrawal_to_a_verified_wallet_asks_with_the_whole_address",
    ),
    Fault(
        "more than there is can be withdrawn to a wallet",
        _WALLET_FLOW,
        "    if Decimal(amount) > Decimal(means.balance.amount):",
        "    if Decimal(amount) > Decimal(means.balance.amount) * 100:",
        f"{WITHDRAWALS}::test_what_a_wallet_may_not_receive_is_said_before_anything_is_asked",
    ),
    Fault(
        "an unverified wallet has the limits of a verified one",
        "tui/wallets/book.py",
        "DestinationClass.VERIFIED if wallet.is_verified else DestinationClass.UNVERIFIED",
        "DestinationClass.VERIFIED",
        f"{WITHDRAWALS}::test_what_a_wallet_may_not_receive_is_said_before_anything_is_asked",
    ),
    Fault(
        "a wallet on hold is asked for",
        _WALLET_FLOW,
        "    if now >= until:\n        return None",
        "    if now:\n        return None",
        f"{WITHDRAWALS}::test_what_a_wallet_may_not_receive_is_said_before_anything_is_asked",
    ),
    # -- amounts ---------------------------------------------------------------------------------
    Fault(
        "groups are shown in the wrong place",
        _FORMATS,
        'return f"{sign}{int(whole):,}{point}{fraction}"',
        'return f"{sign}{int(whole) * 10:,}{point}{fraction}"',
        f"{CONFIRMATIONS}::test_an_execution_names_customer_account_quote_and_amounts",
    ),
    Fault(
        "amounts are the same that aren't",
        _FORMATS,
        "return Decimal(ungrouped(one)) == Decimal(ungrouped(other))",
        "return bool(Decimal(ungrouped(one))) == bool(Decimal(ungrouped(other)))",
        f"{QUOTE}::test_a_quote_for_another_amount_than_was_asked_is_refused",
    ),
    # -- unknown outcomes and what is recorded ---------------------------------------------------
    Fault(
        "a request is repeated under a new key",
        _RECORDING,
        "        key = call.key or self._randomness.bytes(16).hex()",
        "        key = self._randomness.bytes(16).hex()",
        f"{RECORDING}::test_a_write_is_recorded_with_its_outcome",
    ),
    Fault(
        "without idempotency keys a request is sent again",
        _RECORDING,
        "if not _knows_keys(onward) and not _may_repeat(earlier):",
        "if not _knows_keys(onward) and not earlier:",
        f"{OUTCOMES}::test_without_keys_nothing_is_ever_sent_twice",
    ),
    Fault(
        "a refused repetition settles the first attempt",
        _RECORDING,
        "is_open = is_repeated and not is_conclusive(fault)",
        "is_open = False",
        f"{OUTCOMES}::test_a_refused_repetition_says_nothing_of_the_first_attempt",
    ),
    Fault(
        "lost executions are matched without their amount",
        _TERMS,
        "        same_amount(trade.amount, base.amount)\n        and ",
        "        ",
        f"{OUTCOMES}::test_trades_that_differ_in_one_term_are_never_taken_for_each_other",
    ),
    Fault(
        "lost executions are matched long after their quote",
        _OUTCOMES,
        "    is_in_time = from_datetime(quote.created) <= at <= late",
        "    is_in_time = from_datetime(quote.created) <= at",
        f"{OUTCOMES}::test_a_trade_fits_a_quote_only_as_long_as_that_could_be_executed",
    ),
    Fault(
        "of two trades that fit the first is chosen",
        _OUTCOMES,
        '    if len(fitting) == 1 and not rivals:\n        text = "One trade',
        '    if fitting:\n        text = "One trade',
        f"{OUTCOMES}::test_two_trades_that_fit_are_both_named_and_neither_is_chosen",
    ),
    Fault(
        "yesterday's request is sent again",
        _RECORDING,
        "RESENT_WITHIN = 23 * HOUR",
        "RESENT_WITHIN = 2300 * HOUR",
        f"{OUTCOMES}::test_a_request_of_the_day_before_is_not_sent_again",
    ),
    Fault(
        "an earlier session's request leaves by itself",
        "tui/console/unanswered.py",
        'return await agreed(desk, f"SEND AGAIN: {what}?", *facts)',
        "return True",
        f"{APP}::test_requests_that_were_never_answered_are_told_at_the_next_start",
    ),
    Fault(
        "an error with status 500 is a refusal",
        "remote/sending.py",
        "if reply.status >= 500 and isinstance(refusal, _MAY_BE_DONE):",
        "if reply.status >= 600:",
        f"{MISBEHAVING}::test_a_write_answered_with_status_500_may_have_been_done",
    ),
    Fault(
        "read-only lets writes through",
        "service/read_only.py",
        "call.operation.writes",
        "not call.operation.writes",
        f"{READ_ONLY}::test_it_is_switched_at_run_time",
    ),
    # -- questions that follow their records -----------------------------------------------------
    Fault(
        "open questions don't follow the deployment",
        _DESK,
        "signals=(self.on_poll, self.customer.on_change),",
        "signals=(),",
        f"{CONFIRMATIONS}::test_a_cancellation_closes_with_the_reason_when_the_trade_executes",
    ),
    Fault(
        "open questions don't follow their record",
        _DESK,
        "renew=partial(self._question, request, service),",
        "renew=lambda: call_service(lambda: None),",
        f"{CONFIRMATIONS}::test_a_cancellation_closes_with_the_reason_when_the_trade_executes",
    ),
    Fault(
        "an open question outlives its quote",
        _QUESTION,
        "if asked.last_at is not None and watch.now() > asked.last_at:",
        "if asked.last_at is not None and watch.now() < 0:",
        f"{CONFIRMATIONS}::test_an_execution_closes_when_its_quote_expires",
    ),
    Fault(
        "an open question outlives its customer",
        _DESK,
        "require=partial(self.customer.require, request.account_id),",
        "require=lambda: None,",
        f"{CONFIRMATIONS}::test_an_execution_closes_with_its_customer_though_nothing_answers",
    ),
    Fault(
        "the question names no customer",
        _DESK,
        "return asked.headed(self.customer.label)",
        "return asked",
        f"{CONFIRMATIONS}::test_an_execution_names_customer_account_quote_and_amounts",
    ),
    Fault(
        "keys meant for the words before count",
        _QUESTION,
        "        if not asked.is_like(self._asked, now):\n            self._has_other_words()\n",
        "",
        f"{CONFIRMATIONS}::test_keys_meant_for_what_was_asked_before_do_not_count",
    ),
    Fault(
        "the amount typed for other words stays",
        _QUESTION,
        '        if asked.retype != self._asked.retype:\n            self._typed = ""\n',
        "",
        f"{CONFIRMATIONS}::test_an_amount_typed_for_other_words_is_dropped",
    ),
    Fault(
        "a question doesn't look at the account's controls",
        _DESK,
        "            require_unrestricted(service.trading_account(request.account_id), request.act)\n",
        "            pass\n",
        f"{CONFIRMATIONS}::test_money_is_not_asked_about_once_the_account_is_frozen",
    ),
    # -- transfers -------------------------------------------------------------------------------
    Fault(
        "another withdrawal of the list is cancelled",
        "tui/transfers/commands.py",
        "    transfer, why = screen.selected, _why_final(screen)\n",
        "    transfer, why = next(iter(screen.records.values()), None), _why_final(screen)\n",
        f"{TRANSFERS}::test_the_selected_withdrawal_is_cancelled_and_no_other",
    ),
    Fault(
        "another withdrawal than the one asked about is cancelled",
        _TRANSFER_FLOW,
        "service.cancel_withdrawal(account_id, withdrawal_id, idempotency_key=key)",
        "service.cancel_withdrawal(account_id, service.withdrawals(account_id).data[-1].id, idempotency_key=key)",
        f"{TRANSFERS}::test_the_selected_withdrawal_is_cancelled_and_no_other",
    ),
    Fault(
        "a withdrawal's cancellation isn't confirmed",
        _TRANSFER_FLOW,
        "partial(_cancel, account.id, withdrawal.id), renew=question)",
        "partial(_cancel, account.id, withdrawal.id))",
        f"{TRANSFERS}::test_the_selected_withdrawal_is_cancelled_and_no_other",
    ),
    Fault(
        "the question about a withdrawal outlives its leaving",
        _TRANSFER_FLOW,
        "    withdrawal = service.withdrawal_record(account_id, withdrawal_id)\n    why = why_not_cancelled(withdrawal)\n",
        "    withdrawal, why = service.withdrawal_record(account_id, withdrawal_id), ''\n",
        f"{TRANSFERS}::test_the_question_closes_with_the_reason_when_the_withdrawal_leaves",
    ),
    Fault(
        "a withdrawal is cancelled for whoever is served",
        _TRANSFERS,
        "    if desk.customer.account_id != owner:\n",
        "    if not desk.customer.account_id:\n",
        f"{TRANSFERS}::test_among_all_accounts_its_own_customer_is_served_and_named",
    ),
    Fault(
        "a transfer's account is that of the customer listed",
        _CUSTOMER_LIST,
        'return record.trading_account_id or seen or ("" if self.shows_all else self.listed_account)',
        "return self.listed_account or record.trading_account_id or seen",
        f"{TRANSFERS}::test_among_all_accounts_its_own_customer_is_served_and_named",
    ),
    Fault(
        "trades or transfers of the customer before stay",
        _CUSTOMER_LIST,
        "            screen.pages.forget()\n            screen.row_chosen()",
        "            screen.row_chosen()",
        f"{CUSTOMER}::test_a_list_of_the_customer_before_is_gone_before_the_next_one_comes",
    ),
    Fault(
        "transfers list those of everybody",
        _CUSTOMER_LIST,
        "account_id = None if screen.shows_all else screen.listed_account",
        "account_id = None",
        f"{TRANSFERS}::test_the_list_is_of_one_account_or_of_all",
    ),
    Fault(
        "trades and transfers don't turn to the customer served now",
        _CUSTOMER_LIST,
        "        if self.is_current:\n            _bind_to_customer(self)\n            self.reload()",
        "        if self.is_current:\n            self.reload()",
        f"{CUSTOMER}::test_a_list_of_the_customer_before_is_gone_before_the_next_one_comes",
        TRANSFERS,
    ),
    Fault(
        "what was looked for stays with the next customer",
        _CUSTOMER_LIST,
        "        _bind_filter(screen)\n        if not",
        "        if not",
        f"{CUSTOMER}::test_a_filter_is_put_away_and_comes_back_with_its_customer",
        f"{TRANSFERS}::test_a_pasted_id_is_not_looked_for_among_the_next_customers_transfers",
    ),
    Fault(
        "the customer is told that a withdrawal can be stopped for ever",
        "records/transfers.py",
        "can = transfer.status in HOLDING if transfer.cancellable is None else transfer.cancellable",
        "can = True",
        f"{TRANSFERS}::test_the_customer_hears_of_stopping_only_while_it_can_be_done",
    ),
    # -- amounts that are typed ------------------------------------------------------------------
    Fault(
        "groups of any length are read",
        "domain/money.py",
        'r"[1-9][0-9]{0,2}(,[0-9]{3})+"',
        'r"[1-9][0-9]*(,[0-9]+)+"',
        f"{AMOUNTS}::test_the_parser_agrees_with_the_oracle",
    ),
    Fault(
        "a refused amount is sent without what is wrong in it",
        "domain/money.py",
        "    plain = ungrouped(text)\n",
        '    plain = re.sub("[^0-9.]", "", ungrouped(text))\n',
        f"{AMOUNTS}::test_the_parser_agrees_with_the_oracle",
    ),
    Fault(
        "the wire takes groups",
        "domain/money.py",
        "    match = _WIRE.fullmatch(text) if isinstance(text, str) else None\n",
        "    match = _WIRE.fullmatch(ungrouped(text)) if isinstance(text, str) else None\n",
        f"{AMOUNTS}::test_the_parser_agrees_with_the_oracle",
    ),
    Fault(
        "a field sends another amount than it reads back",
        _FIELD,
        "            return str(parse_typed(typed, asset))\n        except AmountInvalid as error:",
        '            return "1" + str(parse_typed(typed, asset))\n        except AmountInvalid as error:',
        f"{AMOUNTS}::test_a_field_sends_what_it_read_back_or_refuses",
    ),
    Fault(
        "a field reads back another amount than it sends",
        _FIELD,
        'self._say(f"= {money(self.amount, asset.symbol)}", "strong")',
        'self._say(f"= {money(self.amount[1:], asset.symbol)}", "strong")',
        f"{AMOUNTS}::test_a_field_sends_what_it_read_back_or_refuses",
        f"{AMOUNTS}::test_a_withdrawal_asks_for_what_its_line_read_back",
    ),
    Fault(
        "a paste is put behind what the field has",
        _FIELD,
        "        self.value = printable(re.sub",
        "        self.value += printable(re.sub",
        f"{AMOUNTS}::test_one_field_agrees_with_the_oracle",
        AMOUNTS,
    ),
    # -- records of another account --------------------------------------------------------------
    Fault(
        "requests with another account's record are sent",
        _OWNERSHIP,
        "            if owners and expected not in owners and (expected or is_write):",
        "            if owners and expected not in owners and not is_write:",
        OWNERSHIP,
    ),
    Fault(
        "replies about another account are shown",
        _OWNERSHIP,
        '        found = next(self._contradictions(call, answer, expected), "")',
        '        found = ""',
        OWNERSHIP,
    ),
    Fault(
        "replies may be about another record",
        "remote/answers.py",
        "        elif not _is_same(name, str(answered), asked):",
        "        elif not answered:",
        "tests/remote/test_answers.py",
    ),
    Fault(
        "a quote for another amount is taken",
        _TERMS,
        "    if not is_asked or not same_amount(sold.amount, asked.amount):",
        "    if not is_asked:",
        f"{WRONG_ANSWERS}::test_a_quote_for_another_amount_is_not_executed",
    ),
    Fault(
        "a trade with other terms than its quote is taken",
        _RECORDING,
        "        if quote is not None and isinstance(record, Trade):",
        "        if quote is not None and isinstance(record, Quote):",
        f"{WRONG_ANSWERS}::test_a_trade_with_other_terms_than_its_quote_is_named",
    ),
    Fault(
        "commands print another account's records",
        "bootstrap.py",
        "Layered(Ownership().check_reply, opened.service)",
        "opened.service",
        f"{WRONG_ANSWERS}::test_a_list_with_quotes_of_another_account_is_refused",
    ),
    # -- commands --------------------------------------------------------------------------------
    Fault(
        "the command deposits a hundred times as much",
        _TRANSFER_COMMANDS,
        "DepositRequest(amount=bank_amount(amount, money), currency=money)",
        'DepositRequest(amount=bank_amount(amount, money).replace(".", "") + ".00", currency=money)',
        f"{AMOUNTS}::test_a_command_agrees",
    ),
    Fault(
        "the command withdraws without asking",
        _TRANSFER_COMMANDS,
        "    if not yes:\n        require_terminal()\n    with writing() as desk:\n        destination = None",
        "    yes = True\n    with writing() as desk:\n        destination = None",
        f"{TRADING}::test_money_needs_a_yes_where_nobody_can_be_asked",
    ),
    Fault(
        "the command withdraws to the bank in place of the wallet",
        _TRANSFER_COMMANDS,
        "request = WithdrawalRequest(amount=asked, currency=money, destination=destination)",
        "request = WithdrawalRequest(amount=asked, currency=money)",
        "tests/cli/test_wallets.py::test_a_withdrawal_finds_the_only_account_of_a_linked_wallet",
        "tests/cli/test_wallets.py",
    ),
    Fault(
        "a large deposit line isn't confirmed",
        _TRANSFER_COMMANDS,
        "        if is_above(request.amount, money, options().configured.settings.desk.confirm_above):",
        "        if not request.amount:",
        f"{AMOUNTS}::test_a_large_deposit_line_is_confirmed_and_a_command_is_not",
    ),
    Fault(
        "the command cancels a withdrawal without asking",
        _RECORD_COMMANDS,
        "    if not yes:\n        require_terminal()\n    with writing() as desk:\n        found = WITHDRAWALS",
        "    yes = True\n    with writing() as desk:\n        found = WITHDRAWALS",
        f"{TRANSFER_COMMANDS}::test_a_cancellation_needs_a_terminal_or_yes_and_is_repeated_safely",
    ),
    Fault(
        "the command cancels a withdrawal that has left",
        _RECORD_COMMANDS,
        "            _require_cancellable(found)\n",
        "",
        f"{TRANSFER_COMMANDS}::test_a_withdrawal_that_has_left_is_refused_as_the_service_would_without_a_question",
        f"{TERMINAL}::test_a_withdrawal_that_has_left_is_refused_without_a_question",
    ),
    Fault(
        "the command quotes the other side",
        "cli/markets.py",
        "QuoteRequest(amount=asked, side=side, trading_account_id=account)",
        'QuoteRequest(amount=asked, side="sell" if side == "buy" else "buy", trading_account_id=account)',
        TRADING,
        f"{TRANSFER_COMMANDS}::test_quotes_are_listed_of_an_account_and_shown",
    ),
    Fault(
        "the command trades the other side",
        _TRADE_COMMANDS,
        "QuoteRequest(amount=order.spend, side=order.side,",
        'QuoteRequest(amount=order.spend, side="sell",',
        f"{TRADING}::test_one_line_funds_trades_and_waits_until_it_is_settled",
    ),
    Fault(
        "the command deposits all and not the shortfall",
        _TRADE_COMMANDS,
        'missing = format_cents(parse_atoms(short.details["required"], USD) - held)',
        'missing = format_cents(parse_atoms(short.details["required"], USD))',
        f"{TRADING}::test_only_the_shortfall_is_deposited",
    ),
    Fault(
        "repeating the line trades again",
        _TRADE_COMMANDS,
        "return desk.execute_quote(quote_id, request, idempotency_key=order.key).value",
        "return desk.execute_quote(quote_id, request).value",
        f"{TRADING}::test_the_same_line_under_the_same_key_trades_once",
    ),
    Fault(
        "the line trades without asking",
        _TRADE_COMMANDS,
        "            confirm(question, yes=yes)\n",
        "            say(question)\n",
        f"{TERMINAL}::test_a_trade_asks_and_takes_only_a_yes",
    ),
    Fault(
        "commands go on without a terminal to ask on",
        "cli/confirmation.py",
        "    if not (sys.stdin.isatty() and sys.stderr.isatty()):",
        "    if sys.stdin is None:",
        f"{TRADING}::test_money_needs_a_yes_where_nobody_can_be_asked",
    ),
    Fault(
        "any answer to a command is yes",
        "cli/confirmation.py",
        'not in {"y", "yes"}',
        'in {"n", "no"}',
        f"{TERMINAL}::test_a_trade_asks_and_takes_only_a_yes",
    ),
    Fault(
        "what is typed behind a pasted id acts at once",
        "tui/console/app.py",
        "        self.typed_ahead.hold(ENGINE_LIMIT_S, forgets=True)\n",
        "",
        "tests/tui/test_type_ahead.py::test_what_is_typed_behind_a_pasted_id_is_meant_for_its_customer",
    ),
    Fault(
        "keys don't wait for the list that a pasted id is shown in",
        "tui/console/app.py",
        "        if not isinstance(console.screen, AccountsScreen):\n            console.release_keys()\n",
        "        console.release_keys()\n",
        "tests/tui/test_type_ahead.py::test_what_is_typed_behind_a_pasted_id_is_meant_for_its_customer",
    ),
    Fault(
        "what is typed behind an id of nobody is for whoever is served",
        "tui/console/app.py",
        "console.release_keys(forget=shown is None)",
        "console.release_keys()",
        "tests/tui/test_type_ahead.py::test_what_is_typed_behind_an_id_of_nobody_is_dropped",
    ),
    Fault(
        "a hidden strip keeps what waits for the customer before",
        "tui/served/view.py",
        "        strip.show([line()])\n",
        "        pass\n",
        "tests/tui/test_pending.py::test_what_waits_for_one_customer_is_never_shown_for_the_next",
    ),
    # -- time, wallets and payouts ---------------------------------------------------------------
    Fault(
        "the expired challenge of a contract wallet is claimed",
        "engine/operations/claims.py",
        "    if state is not ChallengeStatus.OPEN or proof is None:\n",
        "    if proof is None:\n",
        "tests/ownership/test_contract_wallets.py::test_a_challenge_that_expires_while_the_chain_is_asked_is_not_claimed",
    ),
    Fault(
        "a payout isn't compared with the log",
        "engine/operations/payout_checks.py",
        "said = _of_log(tx, withdrawal, account, hold) if wallet is None else None",
        "said = None",
        "tests/tampering/test_forged_trail.py::test_another_wallet_that_was_verified_without_the_key_is_not_paid",
    ),
    Fault(
        "the kept heads aren't looked at before a payout",
        "engine/upkeep/due.py",
        "wrong = _wrong_heads(tx, organisation_id)",
        "wrong: tuple[Breach, ...] = ()",
        "tests/engine/test_kept_heads.py::test_it_pays_nothing_until_a_person_accepts_it",
    ),
    Fault(
        "time in doubt from the start stands still",
        "engine/core/timekeeping.py",
        "        keeper.doubtful = found.anchor\n",
        "        pass\n",
        "tests/clock/test_bank.py::test_time_in_doubt_from_the_start_goes_on_and_a_clock_that_is_set_right_is_taken",
    ),
    Fault(
        "the doubt of the clock is forgotten when its process ends",
        "engine/upkeep/epochs.py",
        'changes |= {"doubt": reason, "stepped"',
        'changes |= {"doubt": "", "stepped"',
        "tests/clock/test_bank.py::test_a_doubt_survives_a_restart_and_a_reboot",
    ),
    Fault(
        "what is written under a revoked API key is paid",
        "storage/log/last_writes.py",
        "    if ends and min(ends) + MINUTE < use.at:\n",
        "    if not ends and is_made is None:\n",
        "tests/simulation/attacker/test_attacker.py::test_a_key_that_opened_while_the_log_hid_its_end_is_named_when_all_is_back",
    ),
    Fault(
        "an API key isn't compared with the log",
        "engine/operations/key_uses.py",
        "return None if use != former and self.contradicted(use, size) else use",
        "return use",
        "tests/engine/test_keys.py::test_a_key_that_somebody_altered_opens_nothing_and_is_named",
    ),
    Fault(
        "the API keys that were used aren't looked at",
        "engine/verification/in_rounds.py",
        "self._used_wrongly += full_pass.verify_key_uses(self._uses, database)",
        "self._used_wrongly += ()",
        "tests/simulation/attacker/test_attacker.py::test_a_key_that_opened_while_the_log_hid_its_end_is_named_when_all_is_back",
    ),
    Fault(
        "work that somebody put off isn't named when it's done",
        "engine/upkeep/due.py",
        "    if job.run_at <= due_at:\n        return ()\n",
        "    if job.run_at <= due_at + 10**18:\n        return ()\n",
        "tests/engine/test_due_times.py::test_work_that_was_put_off_by_a_moment_is_named_when_it_is_done",
    ),
    Fault(
        "work that was put back may wait a minute",
        "engine/verification/work.py",
        "return until is not None and bool(job.run_at <= until)",
        "return until is not None",
        "tests/engine/test_due_times.py::test_work_that_came_too_early_is_put_off_no_longer_than_its_record_says",
    ),
    Fault(
        "a stored anchor that contradicts the clocks is taken",
        "engine/core/timekeeping.py",
        "own = _overruling(keeper, known, sight) if found.doubt else None",
        "own = None",
        "tests/clock/test_bank.py::test_an_altered_anchor_stops_no_process_that_has_its_own",
    ),
    Fault(
        "a look rests for the time since the last one",
        "engine/core/pacing.py",
        "        self._rest, self._since = rest, perf_counter()\n",
        "        self._rest, self._since = rest, 0.0\n",
        "tests/engine/test_disputes.py::test_a_look_rests_for_what_it_worked_and_not_for_the_time_between_looks",
    ),
    Fault(
        "what is held isn't compared with the log before a payout",
        "engine/operations/payout_checks.py",
        "found = found or last_writes.balance_contradicted(tx.connection, trail, code, asset)",
        "found = found or asset[:0] + code[:0]",
        "tests/payouts/test_any_cell.py::test_every_cell_of_what_is_held",
    ),
    Fault(
        "a bank's server writes to a gateway's database",
        "engine/core/unit_of_work.py",
        "        if stored != mine:\n",
        "        if stored == mine + '-':\n",
        "tests/gateway/test_databases.py",
    ),
    Fault(
        "a gateway's database without its provider's row pays",
        "engine/operations/payout_checks.py",
        "if not found and views.about(",
        "if found and views.about(",
        "tests/payouts/test_payout_checks.py::test_nothing_is_paid_from_a_gateways_database_whose_row_of_the_provider_is_gone",
    ),
    Fault(
        "what a provider refused stays held",
        "engine/forwarding/requests.py",
        "    if status is RequestStatus.REFUSED:  # what was held can be used again\n",
        "    if status is RequestStatus.UNKNOWN:  # what was held can be used again\n",
        "tests/gateway/test_gateway.py",
    ),
    Fault(
        "a gateway sends again what may have been done",
        "engine/forwarding/requests.py",
        "    if earlier.status not in MAY_BE_SENT:\n",
        "    if earlier.status == RequestStatus.DONE:\n",
        "tests/gateway/test_gateway.py",
    ),
    Fault(
        "a gateway takes one of several trades that fit",
        "engine/forwarding/settling.py",
        "    if len(fitting) == 1 and not rivals:\n",
        "    if fitting:\n",
        "tests/gateway/test_gateway.py",
    ),
    Fault(
        "a refusal that may not be final settles a request",
        "engine/forwarding/settling.py",
        "            if is_conclusive(refusal):\n",
        "            if refusal.code:\n",
        "tests/gateway/test_gateway.py",
    ),
    Fault(
        "what waits at a gateway can be spent",
        "engine/forwarding/reviews.py",
        "found[asset] = max(0, found.get(asset, 0) - atoms)",
        "found[asset] = max(0, found.get(asset, 0) - atoms * 0)",
        "tests/gateway/test_gateway.py",
    ),
    Fault(
        "an approved withdrawal of a frozen account leaves a gateway",
        "engine/forwarding/reviews.py",
        "    if account.control is not None and forbids(account.control, Act.WITHDRAW):\n",
        "    if account.control is not None and not account.control:\n",
        "tests/gateway/test_gateway.py",
    ),
    Fault(
        "a request's signature holds for an hour",
        "engine/operations/agent_requests.py",
        "if abs(at - signed.created) > SIGNED_WITHIN:",
        "if abs(at - signed.created) > 60 * SIGNED_WITHIN:",
        "tests/agents/test_agents.py",
    ),
    Fault(
        "an idempotency key isn't signed",
        "domain/signed_requests.py",
        "_COVERED = (DIGEST_HEADER, KEY_HEADER, CASE_HEADER)",
        "_COVERED = (DIGEST_HEADER, CASE_HEADER)",
        "tests/agents/test_signatures.py",
    ),
    Fault(
        "the query of a request isn't signed",
        "domain/signed_requests.py",
        "        f'\"@query\": ?{target.query}',\n",
        "        f'\"@query\": ?{target.query[:0]}',\n",
        "tests/agents/test_signatures.py",
    ),
    Fault(
        "a first approval counts after what it is of has changed",
        "engine/operations/second_persons.py",
        "    if found.first_by is None or found.digest != current:\n",
        "    if found.first_by is None or found.digest == '':\n",
        "tests/agents/test_second_persons.py",
    ),
    Fault(
        "a first approval never lapses",
        "engine/operations/second_persons.py",
        "    return tx.now <= int(found.first_at) + SECOND_WITHIN\n",
        "    return tx.now >= int(found.first_at)\n",
        "tests/agents/test_second_persons.py",
    ),
    Fault(
        "one person approves twice",
        "engine/operations/decisions.py",
        "        if found.first_by == tx.name:\n",
        "        if found.first_by == tx.actor.key_id:\n",
        "tests/agents/test_second_persons.py",
    ),
    Fault(
        "any role decides after the first deadline",
        "engine/operations/decisions.py",
        "if found.escalated_at is not None and not tx.actor.has_role(found.to_role):",
        "if found.escalated_at is not None and not tx.actor.may('decisions:write'):",
        "tests/engine/test_decisions.py",
    ),
    Fault(
        "a role's key is offered that it doesn't have",
        "tui/decisions/commands.py",
        'if decision.escalated_at is not None and not desk.has_role(decision.to_role or ""):',
        'if decision.escalated_at is None and not desk.has_role(decision.to_role or ""):',
        "tests/tui/test_decisions.py::test_keys_that_a_role_does_not_allow_are_not_offered",
    ),
    Fault(
        "a server that lost an endpoint records what it sent",
        "engine/upkeep/deliveries.py",
        "(locked.held_by, locked.sent_upto) != (self._id, row.sent_upto):",
        "(locked.held_by, locked.sent_upto) == (None, row.sent_upto):",
        "tests/webhooks/test_deliveries.py",
    ),
    Fault(
        "a customer with a balance is forgotten",
        "engine/operations/erasures.py",
        "            if balance:\n",
        "            if balance < 0:\n",
        "tests/engine/test_erasures.py",
    ),
    Fault(
        "an import takes over another customer's bank account",
        "engine/operations/customer_imports.py",
        "        if customer is None or account.customer_id != customer.id:\n",
        "        if customer is not None and account.customer_id != customer.id:\n",
        "tests/cli/test_customers.py",
        "tests/contract/test_customers.py",
    ),
    Fault(
        "anybody erases a colleague's note",
        "engine/operations/notes.py",
        "if found.author != tx.name and not tx.actor.may(ERASES_OTHERS):",
        "if found.author == tx.name and not tx.actor.may(ERASES_OTHERS):",
        "tests/contract/test_notes.py",
    ),
    Fault(
        "a signing page takes signatures without end",
        "engine/operations/signing_pages.py",
        "    if sent > MOST_SENT:\n",
        "    if sent > 10 * MOST_SENT:\n",
        "tests/api/test_signing_pages.py",
    ),
    Fault(
        "a gateway asks about a trade in every turn",
        "engine/forwarding/renewing.py",
        "            if self._elapsed() < due_s:\n",
        "            if self._elapsed() < 0 * due_s:\n",
        "tests/gateway/test_gateway.py",
    ),
)
