import { type CheckoutPage, pathOfPayment } from './page.ts'
import { BackLink, formatPageTitle, LargeAmount, RoundSign } from './parts.tsx'
import { CheckoutShell } from './shell.tsx'

/** The page of a failed payment: what happened, that no money was taken, and what to do. */
export function FailedPage(page: CheckoutPage<'failed'>) {
  const { view, setting, texts, shop, brief } = page
  const { failed } = texts
  const reason = failed.reasons[view.reason]
  const noMore = view.expired ? texts.closed.expired.text(brief) : failed.closed(brief)
  const todo = view.mayRetry ? reason.todo : noMore
  return (
    <CheckoutShell setting={setting} title={formatPageTitle(failed.title, shop)}>
      <div class="sum">
        <RoundSign name="failed" tone="bad" />
        <h1>{failed.title}</h1>
        <LargeAmount value={view.payment.due} />
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
        <form method="post" action={pathOfPayment(view.payment, 'retry')}>
          <button type="submit" class="go">
            {failed.again}
          </button>
        </form>
      )}
      <BackLink url={view.cancelUrl} text={texts.backTo(brief)} />
    </CheckoutShell>
  )
}
