/** An example in one language. */
export type Snippet = { language: 'curl' | 'js' | 'python' | 'php'; text: string }

/** The first call, in four languages: a charge that asks a phone for a payment. */
export const buildChargeSnippets = ({ baseUrl, key }: { baseUrl: string; key: string }): Snippet[] => [
  {
    language: 'curl',
    text: `curl ${baseUrl}/v1/charges \\
  -H "Authorization: Bearer ${key}" \\
  -H "X-Timestamp: $(date +%s)" \\
  -H "Idempotency-Key: order-1042" \\
  -H "Content-Type: application/json" \\
  -d '{"amount":5000,"channel":"op1_momo","customer":{"phone":"0700000000"},"reference":"order-1042"}'`,
  },
  {
    language: 'js',
    text: `const answer = await fetch('${baseUrl}/v1/charges', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${key}',
    'X-Timestamp': String(Math.floor(Date.now() / 1000)),
    'Idempotency-Key': 'order-1042',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    amount: 5000,
    channel: 'op1_momo',
    customer: { phone: '0700000000' },
    reference: 'order-1042',
  }),
})
console.log(answer.status, await answer.json())`,
  },
  {
    language: 'python',
    text: `import json, time, urllib.request

request = urllib.request.Request(
    "${baseUrl}/v1/charges",
    method="POST",
    headers={
        "Authorization": "Bearer ${key}",
        "X-Timestamp": str(int(time.time())),
        "Idempotency-Key": "order-1042",
        "Content-Type": "application/json",
    },
    data=json.dumps({
        "amount": 5000,
        "channel": "op1_momo",
        "customer": {"phone": "0700000000"},
        "reference": "order-1042",
    }).encode(),
)
with urllib.request.urlopen(request) as answer:
    print(answer.status, json.load(answer))`,
  },
  {
    language: 'php',
    text: `<?php
$curl = curl_init('${baseUrl}/v1/charges');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ${key}',
        'X-Timestamp: ' . time(),
        'Idempotency-Key: order-1042',
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => json_encode([
        'amount' => 5000,
        'channel' => 'op1_momo',
        'customer' => ['phone' => '0700000000'],
        'reference' => 'order-1042',
    ]),
]);
echo curl_exec($curl);`,
  },
]

/** How a receiver verifies a webhook: over the raw bytes of the body. */
export const VERIFY_SNIPPETS: readonly Snippet[] = [
  {
    language: 'js',
    text: `import { createHmac, timingSafeEqual } from 'node:crypto'

const expected = createHmac('sha256', process.env.WEBHOOK_SECRET).update(rawBody).digest()
const given = Buffer.from(request.headers['x-service-signature'] ?? '', 'hex')
const genuine = given.length === expected.length && timingSafeEqual(given, expected)`,
  },
  {
    language: 'python',
    text: `import hashlib, hmac

expected = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
genuine = hmac.compare_digest(expected, request.headers.get("X-Service-Signature", ""))`,
  },
  {
    language: 'php',
    text: `<?php
$expected = hash_hmac('sha256', $rawBody, $secret);
$genuine = hash_equals($expected, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '');`,
  },
]
