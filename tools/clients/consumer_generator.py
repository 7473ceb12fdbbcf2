# A merchant's program on the Python client that openapi-generator makes of docs/openapi.json. It prints what it was answered.
import json
import os
import time

import gateway_client
from gateway_client.api.charges_api import ChargesApi
from gateway_client.api.payouts_api import PayoutsApi
from gateway_client.models.bulk_payout_create import BulkPayoutCreate
from gateway_client.models.bulk_payout_item import BulkPayoutItem

settings = gateway_client.Configuration(host=os.environ["GATEWAY_URL"], access_token=os.environ["GATEWAY_KEY"])
client = gateway_client.ApiClient(settings)
charges, payouts, charge_id = ChargesApi(client), PayoutsApi(client), os.environ["CHARGE_ID"]

charge = charges.get_charge(charge_id)
listed, after = 0, None
while True:
    page = charges.list_charges(limit=1, starting_after=after)
    listed += len(page.data)
    if not page.has_more:
        break
    after = page.next_cursor
bulk = payouts.create_bulk_payout(
    x_timestamp=int(time.time()),
    idempotency_key="wages-python",
    bulk_payout_create=BulkPayoutCreate(payouts=[BulkPayoutItem(amount=1000, phone="0700000000")]),
)
refund = charges.refund_charge(charge_id, x_timestamp=int(time.time()))

print(
    json.dumps(
        {
            "status": charge.status if charge.status == "succeeded" else "not comparable",
            "listed": listed,
            "bulk": bulk.accepted,
            "refund": refund.refund.status,
            "amount": refund.refund.amount,
        }
    )
)
