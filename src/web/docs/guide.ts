/** The guide before the endpoints in the reference: Markdown, for integrators. */
export const renderGuide = (
  baseUrl: string,
) => `Collect money from mobile phones in Uganda and send money to them. Amounts are whole Ugandan shillings; times are UTC.

## First request

Send your secret key as \`Authorization: Bearer sk_test_...\`. Every POST carries the time of sending in \`X-Timestamp\`,
and each POST that moves money a name of its own in \`Idempotency-Key\`.

\`\`\`
curl ${baseUrl}/v1/charges \\
  -H "Authorization: Bearer $KEY" -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: first-1" \\
  -d '{"amount":5000,"channel":"op1_momo","customer":{"phone":"0700000000"}}'
\`\`\`

A key is for one request: of your account and mode, whatever the path, kept for 30 days. Let your client add the two headers to every POST,
an interceptor or a middleware, instead of each call: the clients that generators make of [openapi.json](/openapi.json) ask for both. oapi-codegen drops what only events use,
unless it is told \`skip-prune\`; hey-api sends the file of a bulk call as a form where \`Content-Type\` is null.

The answer to a charge is never final. Wait for the event, or read the charge until its status is \`succeeded\` or
\`failed\`.

## A page to pay on

No form of your own is needed. Create a payment link, send your customer to its \`url\`, or show the QR code that comes with
it; the customer chooses the method there.

\`\`\`
curl ${baseUrl}/v1/payment-links \\
  -H "Authorization: Bearer $KEY" -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: link-1" \\
  -d '{"amount":5000,"description":"Two coffees","reference":"order-2","success_url":"https://shop.example/thanks"}'
\`\`\`

A link is paid once, however many people open it; with \`allow_multiple_uses\` it stays open. Every payment on it is a charge
with the link's \`reference\` and its \`payment_link_id\`, and sends the events of a charge. **The return to \`success_url\`
proves nothing**: anybody can open that address. Deliver when \`charge.succeeded\` has come, or when
\`GET /v1/charges?reference=order-2&limit=1\` says \`succeeded\`, and in production only for \`mode\` = \`live\`.

A customer may report a problem on the receipt: \`dispute.opened\` reaches you with the words as they were typed. Escape them
before you show them, and answer within 72 hours. It moves no money.

Gift cards that you issue are redeemed on the page (live only). The charge then shows \`gift_card_amount\`; the fee is taken
on what was paid by mobile money.

## Vending machines

A machine asks your server for an order, shows its \`qr_content\` (or the whole \`display_url\`), and the customer pays. Then we
command the machine through your supplier, and its signed callback says what came out:

\`\`\`
curl ${baseUrl}/v1/vending/orders \\
  -H "Authorization: Bearer $KEY" -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: machine-1" \\
  -d '{"machine":"DEMO-OK","amount":2000,"goods":[{"spbh":"2","spmc":"Soda","spdj":2000}]}'
\`\`\`

\`charge.succeeded\` says that money came, \`vending.dispensed\` that the product did. A definite refusal of the supplier or a
reported jam may be tried again with \`/dispense\`; an unclear answer stays \`dispensing\` and is never commanded again by itself.
Makers of machines read [how callbacks are signed](${baseUrl}/docs/machines). With a test key machines are simulated: a number
ending with \`-OK\`, \`-JAM\`, \`-BUSY\`, \`-REFUSE\` or \`-LOST\` behaves so.

## Sending money

A payout takes its amount and its fee out of your available balance when it is accepted, and gives both back if it fails.
Money that is still held does not count. Only full keys may send money out.

| You want to | Use |
|---|---|
| pay one person | \`POST /v1/payouts\` |
| pay up to 1,000 people | \`POST /v1/payouts/bulk\`, JSON or CSV; each item stands for itself |
| pay the same people every day, week or month | \`POST /v1/scheduled-payouts\`; a cycle pays everybody or pauses with its reason |
| give a charge back | \`POST /v1/charges/{id}/refund\`; the charge's fee returns when the customer has been paid |
| look at a wallet first | \`GET /v1/resolve-account\`; \`active: false\` is the hard stop |

Give every bulk item a \`reference\` of its own: it is paid once, for ever, whatever key the call carries. On a single
payout only the Idempotency-Key protects you, so a retry must repeat it.

\`ambiguous_network_error_pending_reconciliation\` means that nobody knows yet whether the operator took a payout. Its money
stays reserved and it ends by itself, with an event. Do not pay again.

A bulk CSV has a header row; order and case of its names do not matter, other columns are ignored:

\`\`\`
phone,amount,name,reference
0700000000,5000,Akello Grace,salary-2026-07-001
0700000001,"10,000",Okot James,salary-2026-07-002
\`\`\`

## Sharing a charge

\`split\` on a charge gives fixed amounts or basis points of the net (amount minus fee) to your subaccounts; shares are
rounded down and you keep the rest. Each share settles to its subaccount after the same hold. Split charges cannot be
refunded yet.

## Statements

\`GET /v1/statements/2026-07\` (or \`2026-07.pdf\`) lists a Kampala month: opening balance, every line with your reference,
our id and the rail's reference, closing balance. A month that is over never changes by a byte.

## When something goes wrong

| You get | Do |
|---|---|
| no answer, 500, 502, 503 | send the same request again with the same Idempotency-Key and a fresh X-Timestamp |
| 429 | wait \`Retry-After\` seconds, then the same |
| 409 \`still in flight\` | the same again in a moment |
| 409 \`reused with different request body\` | the key belongs to another request: use a new one |
| any other 4xx | change the request; use a new Idempotency-Key |

Branch on \`code\`, show \`error\`, keep \`request_id\` for questions. Where \`error\` cannot say what to do about it, \`hint\` does, and \`field\`
names the member of your request at fault. [Every code](/docs/errors) has a page with its cause and what to do. A refusal by a rule of the business is kept under its
key and repeated like any other answer; a fault of form is not, so a corrected body may use the same key.

## Limits

Requests are counted for each account and mode, over any 60 seconds. What is over a limit is answered 429 with \`Retry-After\`, the whole
seconds to wait; a request that is refused with another 4xx counts for nothing. These are the limits unless yours were
set otherwise; yours stand in \`rate_limits\` of \`GET /v1/me\` and on the dashboard under Settings, Limits:

| A minute | Of |
|---|---|
| 120 | charges; payment links |
| 60 | vending orders, direct dispenses, invalidations, each |
| 30 | payouts, bulk calls, schedules and each change of one, subaccounts, wallet look-ups, webhook resends, repeated dispenses |
| 10 | refunds, statements as PDF |
| 5 | dispense secrets |
| 600 | reads |
| 1,200 | requests of all kinds together |

A list has at most 100 rows a page, a bulk call 1,000 items and 4 MiB, any other body 1 MiB.

## Sandbox

A test key never touches money. The last nine digits of the phone decide how a test charge or payout ends:

| Phone | Charge | Payout | Wallet |
|---|---|---|---|
| 0700000001 | fails with \`insufficient_funds\` | fails with \`recipient_not_found\` | inactive |
| 0700000002 | fails with \`user_cancelled\` | fails with \`wallet_locked\` | active |
| 0700000003 | fails with \`timeout\` | fails with \`timeout\` | active |
| any other | succeeds | succeeds | active |

## Events

Set the address on the dashboard (Developers, Webhooks), where the secret that signs them can be shown: it begins with \`whsec_\`.
Events are posted to your address in an envelope with \`id\`, \`timestamp\`, \`event\` and \`data\`, at least once and in no
promised order. Check \`X-Service-Signature\` before you parse, dedupe on \`id\`, answer 2xx within 5 seconds, and work
afterwards. An attempt may carry a \`traceparent\` (W3C Trace Context), which is no part of the signature. The eight attempts come at once and then 1 minute, 5 minutes, 30 minutes, 2, 6, 12 and 24 hours after the
one before.

\`\`\`
const expected = createHmac('sha256', process.env.WEBHOOK_SECRET).update(rawBody).digest()
const given = Buffer.from(request.headers['x-service-signature'] ?? '', 'hex')
const genuine = given.length === expected.length && timingSafeEqual(given, expected)
\`\`\`

## Going live

1. The business is verified; until then live charges are refused and nothing is written.
2. Replace the test key by the live key. Address, endpoints and events stay the same.
3. Keep full keys on servers. A device that customers can touch gets a collections-only key.
4. Your receiver checks signatures, dedupes, and treats unknown events and fields as new, not as wrong.

Fields and events are only ever added. The [changelog](/changelog) lists what changed, newest first.
`
