import type { CheckoutPage } from './page.ts'
import { BackLink, RoundSign } from './parts.tsx'
import { CheckoutShell } from './shell.tsx'

/** The page of a link that cannot be paid: why, and where to go instead. */
export function ClosedPage({ view, setting, texts, shop, brief }: CheckoutPage<'closed'>) {
  const { title, text: says } = texts.closed[view.why]
  const passing = view.why === 'busy' || view.why === 'trouble'
  return (
    <CheckoutShell setting={setting} title={title}>
      <div class="sum">
        <RoundSign name={passing || view.why === 'expired' ? 'clock' : 'closed'} />
        <h1>{title}</h1>
        <p class="about">{says(shop)}</p>
      </div>
      {passing && (
        <a class="go" href={setting.here}>
          {texts.closed.retry}
        </a>
      )}
      {view.storefront !== null && (
        <a class="second" href={view.storefront}>
          {texts.closed.storefront(brief)}
        </a>
      )}
      <BackLink url={view.cancelUrl} text={texts.backTo(brief)} />
    </CheckoutShell>
  )
}
