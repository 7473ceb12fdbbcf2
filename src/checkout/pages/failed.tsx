import { type Page, paymentPath } from './page.ts'
import { Amount, Away, Sign, titleOf } from './parts.tsx'
import { Shell } from './shell.tsx'

/** The page of a failed payment: what happened, that no money was taken, and what to do. */
export function FailedPage(page: Page<'failed'>) {
  const { view, setting, texts, shop, brief } = page
  const { failed } = texts
  const reason = failed.reasons[view.reason]
  const noMore = view.expired ? texts.closed.expired.says(brief) : failed.closed(brief)
  const todo = view.mayRetry ? reason.todo : noMore
  return (
    <Shell setting={setting} title={titleOf(failed.title, shop)}>
      <div class="sum">
        <Sign name="failed" tone="bad" />
        <h1>{failed.title}</h1>
        <Amount value={view.payment.due} />
        <p class="about">{texts.receipt.to(shop)}</p>
      </div>
      <div class="said">
        <p class="strong">{reason.what}</p>
        <p>
          {failed.nothingTaken} {view.payment.giftCard > 0 && failed.cardKept}
        </p>
        <p>{todo}</p>
      </div>
      {view.mayRetry && (
        <form method="post" action={paymentPath(view.payment, 'retry')}>
          <button type="submit" class="go">
            {failed.again}
          </button>
        </form>
      )}
      <Away url={view.cancelUrl} text={texts.backTo(brief)} />
    </Shell>
  )
}
