import type { Snippet } from './snippets.ts'

/** A signed charge (RFC 9421). The private key lies in `signing.pem`. */
export const buildSignSnippets = ({ baseUrl, key }: { baseUrl: string; key: string }): Snippet[] => [
  {
    language: 'curl',
    text: `body='{"amount":5000,"channel":"op1_momo","customer":{"phone":"0700000000"}}'
now=$(date +%s)
digest="sha-256=:$(printf %s "$body" | openssl dgst -sha256 -binary | base64 -w0):"
covered="(\\"@method\\" \\"@path\\" \\"content-digest\\" \\"x-timestamp\\" \\"idempotency-key\\");created=$now"
base='"@method": POST
"@path": /v1/charges
"content-digest": '$digest'
"x-timestamp": '$now'
"idempotency-key": signed-1
"@signature-params": '$covered
printf %s "$base" > base.txt
signature=$(openssl pkeyutl -sign -inkey signing.pem -rawin -in base.txt | base64 -w0)
curl ${baseUrl}/v1/charges \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -H "X-Timestamp: $now" \\
  -H "Idempotency-Key: signed-1" \\
  -H "Content-Digest: $digest" \\
  -H "Signature-Input: sig=$covered" \\
  -H "Signature: sig=:$signature:" \\
  -d "$body"`,
  },
  {
    language: 'js',
    text: `import { createHash, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'

const body = JSON.stringify({ amount: 5000, channel: 'op1_momo', customer: { phone: '0700000000' } })
const now = Math.floor(Date.now() / 1000)
const digest = \`sha-256=:\${createHash('sha256').update(body).digest('base64')}:\`
const covered = \`("@method" "@path" "content-digest" "x-timestamp" "idempotency-key");created=\${now}\`
const base = [
  '"@method": POST',
  '"@path": /v1/charges',
  \`"content-digest": \${digest}\`,
  \`"x-timestamp": \${now}\`,
  '"idempotency-key": signed-1',
  \`"@signature-params": \${covered}\`,
].join('\\n')
const signature = sign(null, Buffer.from(base), readFileSync('signing.pem')).toString('base64')
const answer = await fetch('${baseUrl}/v1/charges', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${key}',
    'Content-Type': 'application/json',
    'X-Timestamp': String(now),
    'Idempotency-Key': 'signed-1',
    'Content-Digest': digest,
    'Signature-Input': \`sig=\${covered}\`,
    Signature: \`sig=:\${signature}:\`,
  },
  body,
})
console.log(answer.status, await answer.json())`,
  },
  {
    language: 'python',
    text: `import base64, hashlib, json, time, urllib.request
from cryptography.hazmat.primitives.serialization import load_pem_private_key

with open("signing.pem", "rb") as file:
    private_key = load_pem_private_key(file.read(), None)
body = json.dumps({"amount": 5000, "channel": "op1_momo", "customer": {"phone": "0700000000"}}).encode()
now = int(time.time())
digest = "sha-256=:%s:" % base64.b64encode(hashlib.sha256(body).digest()).decode()
covered = '("@method" "@path" "content-digest" "x-timestamp" "idempotency-key");created=%d' % now
base = "\\n".join([
    '"@method": POST',
    '"@path": /v1/charges',
    '"content-digest": ' + digest,
    '"x-timestamp": %d' % now,
    '"idempotency-key": signed-1',
    '"@signature-params": ' + covered,
])
signature = base64.b64encode(private_key.sign(base.encode())).decode()
request = urllib.request.Request(
    "${baseUrl}/v1/charges",
    method="POST",
    headers={
        "Authorization": "Bearer ${key}",
        "Content-Type": "application/json",
        "X-Timestamp": str(now),
        "Idempotency-Key": "signed-1",
        "Content-Digest": digest,
        "Signature-Input": "sig=" + covered,
        "Signature": "sig=:%s:" % signature,
    },
    data=body,
)
with urllib.request.urlopen(request) as answer:
    print(answer.status, json.load(answer))`,
  },
  {
    language: 'php',
    text: `<?php
$pem = preg_replace('/-----[^-]+-----|\\s/', '', file_get_contents('signing.pem'));
$pair = sodium_crypto_sign_seed_keypair(substr(base64_decode($pem), -32));
$body = json_encode(['amount' => 5000, 'channel' => 'op1_momo', 'customer' => ['phone' => '0700000000']]);
$now = time();
$digest = 'sha-256=:' . base64_encode(hash('sha256', $body, true)) . ':';
$covered = '("@method" "@path" "content-digest" "x-timestamp" "idempotency-key");created=' . $now;
$base = implode("\\n", [
    '"@method": POST',
    '"@path": /v1/charges',
    '"content-digest": ' . $digest,
    '"x-timestamp": ' . $now,
    '"idempotency-key": signed-1',
    '"@signature-params": ' . $covered,
]);
$signature = base64_encode(sodium_crypto_sign_detached($base, sodium_crypto_sign_secretkey($pair)));
$curl = curl_init('${baseUrl}/v1/charges');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ${key}',
        'Content-Type: application/json',
        'X-Timestamp: ' . $now,
        'Idempotency-Key: signed-1',
        'Content-Digest: ' . $digest,
        'Signature-Input: sig=' . $covered,
        'Signature: sig=:' . $signature . ':',
    ],
    CURLOPT_POSTFIELDS => $body,
]);
echo curl_exec($curl);`,
  },
]
