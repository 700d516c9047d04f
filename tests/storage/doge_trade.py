"""Buy and sell an asset that the database has never seen, and say what the customer was shown.

Run by ``test_new_asset.py`` on a copy of the package that declares DOGE: it prints a JSON object.
"""

import json
import sys
from dataclasses import asdict

from tests.world.engines import World, make_world

import chainteller
from chainteller.domain.clock import DAY
from chainteller.engine.verification.full_pass import verify

DOGE = "DOGE@dogecoin"


def main(url: str) -> dict[str, object]:
    world = make_world(url, customers=(), seed="2")
    world.clock.advance(DAY)  # what the earlier build left under way is over
    world.settle()
    world.accounts = [row.id for row in world.engine.trading_accounts().data]
    result = trade(world)
    result["breaches"] = [asdict(breach) for breach in verify(world.database)]
    result["package"] = chainteller.__file__
    world.close()
    return result


def trade(world: World) -> dict[str, object]:
    before = world.engine.trading_account(world.account)
    bought = world.buy("400.00", market="doge-usd")
    world.settle()
    shown = world.balances().get(DOGE)
    worth = world.engine.trading_account(world.account).crypto_value_usd
    sold = world.execute(world.quote(shown[0] if shown else "1", "sell", market="doge-usd"))
    world.settle()
    after = world.engine.trading_account(world.account)
    trades = [world.engine.trade(world.account, each.id) for each in (bought, sold)]
    return {
        "statuses": [each.status for each in trades],
        "bought": trades[0].amount,
        "shown": shown,
        "value": [before.crypto_value_usd, worth],
        "left": world.balances().get(DOGE),
        "buying_power": [before.buying_power, after.buying_power],
    }


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
