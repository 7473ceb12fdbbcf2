/** What stands before the endpoints in the reference: Markdown, for somebody who integrates today. */
export const guide = (
  baseUrl: string,
) => `Collect money from mobile phones in Uganda. Amounts are whole Ugandan shillings; times are UTC.

## First request

Send your secret key as \`Authorization: Bearer sk_test_...\`. Every POST carries the time of sending in \`X-Timestamp\`,
and each POST that moves money a name of its own in \`Idempotency-Key\`.

\`\`\`
curl ${baseUrl}/v1/charges \\
  -H "Authorization: Bearer $KEY" -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: order-1" \\
  -d '{"amount":5000,"channel":"op1_momo","customer":{"phone":"0700000000"}}'
\`\`\`

The answer to a charge is never final. Wait for the event, or read the charge until its status is \`succeeded\` or
\`failed\`.

## When something goes wrong

| You get | Do |
|---|---|
| no answer, 500, 502, 503 | send the same request again with the same Idempotency-Key and a fresh X-Timestamp |
| 429 | wait \`Retry-After\` seconds, then the same |
| 409 \`still in flight\` | the same again in a moment |
| 409 \`reused with different request body\` | the key belongs to another request: use a new one |
| any other 4xx | change the request; use a new Idempotency-Key |

Branch on \`code\`, show \`error\`, keep \`request_id\` for questions. A refusal by a rule of the business is kept under its
key and repeated like any other answer; a fault of form is not, so a corrected body may use the same key.

## Sandbox

A test key never touches money. The last nine digits of the phone decide how a test charge ends:

| Phone | Outcome |
|---|---|
| 0700000001 | fails with \`insufficient_funds\` |
| 0700000002 | fails with \`user_cancelled\` |
| 0700000003 | fails with \`timeout\` |
| any other | succeeds |

## Events

Events are posted to your address in an envelope with \`id\`, \`timestamp\`, \`event\` and \`data\`, at least once and in no
promised order. Check \`X-Service-Signature\` before you parse, dedupe on \`id\`, answer 2xx within 5 seconds, and work
afterwards. The eight attempts come at once and then 1 minute, 5 minutes, 30 minutes, 2, 6, 12 and 24 hours after the
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
