# A merchant's program on the Python client that openapi-python-client makes of docs/openapi.json. It prints what it was answered.
import importlib
import io
import json
import os
import pkgutil
import time
import uuid

import gateway_api_client
from gateway_api_client import AuthenticatedClient
from gateway_api_client.api.balance import get_statement_pdf
from gateway_api_client.api.charges import create_charge, get_charge, list_charges, refund_charge
from gateway_api_client.api.payouts import create_bulk_payout, create_payout
from gateway_api_client.models import BulkPayoutCreate, ChargeCreate, CreateBulkPayoutFilesBody, PayoutCreate
from gateway_api_client.types import UNSET, File

# Every module that was made can be imported.
for module in pkgutil.walk_packages(gateway_api_client.__path__, "gateway_api_client."):
    importlib.import_module(module.name)

client = AuthenticatedClient(base_url=os.environ["GATEWAY_URL"], token=os.environ["GATEWAY_KEY"])
phone = "0700000000"


def now():
    return {"client": client, "x_timestamp": int(time.time())}


def once():
    return {**now(), "idempotency_key": str(uuid.uuid4())}


read = get_charge.sync(os.environ["CHARGE_ID"], client=client)
listed, after = 0, UNSET
while True:
    page = list_charges.sync(client=client, limit=1, starting_after=after)
    listed += len(page.data)
    if not page.has_more:
        break
    after = page.next_cursor
charge = create_charge.sync(
    body=ChargeCreate.from_dict({"amount": 5000, "channel": "op1_momo", "customer": {"phone": phone}}), **once()
)
payout = create_payout.sync(
    body=PayoutCreate.from_dict({"amount": 1000, "recipient": {"phone": phone}}), **once()
)
bulk = create_bulk_payout.sync(
    body=BulkPayoutCreate.from_dict({"payouts": [{"amount": 1000, "phone": phone, "reference": "wage-1"}]}), **once()
)
wages = File(
    payload=io.BytesIO(b"phone,amount,reference\n0700000000,1000,wage-2\n"), file_name="wages.csv", mime_type="text/csv"
)
file = create_bulk_payout.sync(body=CreateBulkPayoutFilesBody(file=wages), **once())
refund = refund_charge.sync(os.environ["CHARGE_ID"], **now())
document = get_statement_pdf.sync(os.environ["PERIOD"], client=client)

print(
    json.dumps(
        {
            "status": read.status,
            "listed": listed,
            "file": file.accepted,
            "repaid": refund.refund.status,
            "charge": charge.status,
            "net": charge.net,
            "payout": payout.status,
            "bulk": bulk.results[0].ok,
            "refund": refund.status,
            "pdf": document.payload.read(5).decode("latin1"),
        }
    )
)
