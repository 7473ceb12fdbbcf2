import { DocsShell, renderDocument } from './pages.tsx'

/** Renders the front page: what the product is, a first request, and where to go on. */
export function renderFrontPage(baseUrl: string): string {
  return renderDocument(
    <DocsShell title="Gateway" path="/">
      <main class="column">
        <h1>Mobile money for Uganda</h1>
        <p class="lead">
          Collect money from phone wallets in whole Ugandan shillings, see it in a ledger that cannot overdraw, and hear
          of everything by signed webhooks.
        </p>
        <p>
          Ask customers for money on your phone, with a link or a QR code; pay wages to many phones at once; sell from
          machines. Trying it costs nothing.
        </p>
        <p class="ways">
          <a class="way first" href="/dashboard/sign-up">
            Open an account
          </a>
          <a class="way" href="/dashboard/sign-in">
            Sign in
          </a>
        </p>
        <h2>For programmers</h2>
        <p>
          With a test key, which the dashboard shows under Developers, no money moves. This charge is paid two seconds
          later:
        </p>
        <pre tabIndex={0}>
          <code>{firstRequest(baseUrl)}</code>
        </pre>
        <h2>Go on</h2>
        <GoOn />
      </main>
    </DocsShell>,
  )
}

const GoOn = () => (
  <ul class="cards">
    <LinkCard href="/docs" name="Guide" text="How to collect, pay and refund, by example; webhooks, limits, testing." />
    <LinkCard
      href="/docs/reference"
      name="API reference"
      text="Every endpoint and event; send requests from the page."
    />
    <LinkCard href="/docs/errors" name="Errors" text="Every code, its cause and what to do." />
    <LinkCard
      href="/docs/machines"
      name="For makers of vending machines"
      text="How a machine reports what it dispensed, with code to sign."
    />
    <LinkCard href="/changelog" name="Changelog" text="What changed, newest first, and what you must do." />
    <LinkCard
      href="/openapi.json"
      name="OpenAPI 3.1"
      text="The same reference for your tools; as YAML: /openapi.yaml."
    />
    <LinkCard
      href="/postman.json"
      name="Postman collection"
      text="Every request, ready to send; for Bruno: /bruno.zip."
    />
    <LinkCard href="/llms.txt" name="For programs that read" text="The guide and the reference as Markdown." />
    <LinkCard href="/status" name="Status" text="How the service did in the last 90 days, from real traffic." />
    <LinkCard href="/healthz" name="Health" text="Whether the service and its database answer." />
  </ul>
)

const firstRequest = (baseUrl: string) => `curl ${baseUrl}/v1/charges \\
  -H "Authorization: Bearer $KEY" \\
  -H "X-Timestamp: $(date +%s)" \\
  -H "Idempotency-Key: first-1" \\
  -d '{"amount":5000,"channel":"op1_momo","customer":{"phone":"0700000000"}}'`

function LinkCard({ href, name, text }: { href: string; name: string; text: string }) {
  return (
    <li>
      <a href={href}>{name}</a>
      <span>{text}</span>
    </li>
  )
}
