import type { Page } from './page.ts'
import { Away, Sign } from './parts.tsx'
import { Shell } from './shell.tsx'

/** The page of a link that cannot be paid: why, and where to go instead. */
export function ClosedPage({ view, setting, texts, shop, brief }: Page<'closed'>) {
  const { title, says } = texts.closed[view.why]
  const passing = view.why === 'busy' || view.why === 'trouble'
  return (
    <Shell setting={setting} title={title}>
      <div class="sum">
        <Sign name={passing || view.why === 'expired' ? 'clock' : 'closed'} />
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
      <Away url={view.cancelUrl} text={texts.backTo(brief)} />
    </Shell>
  )
}
