import { oneLine } from '../../../platform/text/text.ts'
import { formatShillings } from '../../parts/wording.ts'
import type { StorefrontItem } from '../view.ts'
import type { CheckoutPage } from './page.ts'
import { InputField } from './parts.tsx'
import { CheckoutShell } from './shell.tsx'

const PICTURE_SIZE = 320
const QR_SIZE = 176

/** The merchant's public page: its items, a form for an amount of the customer's own, and the QR code of the page. */
export function StorefrontPage(page: CheckoutPage<'storefront'>) {
  const { view, setting, texts, shop } = page
  const title = view.ownAmount?.fault ? texts.faultTitle(shop) : shop
  return (
    <CheckoutShell
      setting={setting}
      title={title}
      script={view.ownAmount ? 'pay.js' : undefined}
      isPublic={setting.mode === 'live'}
      isWide
    >
      <h1 dir="auto">{shop}</h1>
      <div class="front">
        <div>
          <Items {...page} />
          <Paging {...page} />
        </div>
        <aside>
          <OwnAmount {...page} />
          <StorefrontQr {...page} />
        </aside>
      </div>
    </CheckoutShell>
  )
}

function Items({ view, texts, brief }: CheckoutPage<'storefront'>) {
  if (view.items.length === 0)
    return (
      <div class="said">
        <h2>{texts.storefront.empty}</h2>
        <p>{texts.storefront.emptyHint(brief)}</p>
      </div>
    )
  return (
    <>
      <h2>{texts.storefront.items}</h2>
      <ul class="items">
        {view.items.map((item) => (
          <Item {...item} />
        ))}
      </ul>
    </>
  )
}

function Item({ name, description, amount, href, picture }: StorefrontItem) {
  return (
    <li>
      <a href={href}>
        {picture === null ? (
          <span class="blank" aria-hidden="true">
            {Array.from(oneLine(name))[0]}
          </span>
        ) : (
          <img src={picture} alt="" width={PICTURE_SIZE} height={PICTURE_SIZE} loading="lazy" />
        )}
        <span class="what">
          <span dir="auto">{oneLine(name)}</span>
          {description && (
            <span class="hint" dir="auto">
              {oneLine(description)}
            </span>
          )}
          <span class="cost">{formatShillings(amount)}</span>
        </span>
      </a>
    </li>
  )
}

function Paging({ view, texts }: CheckoutPage<'storefront'>) {
  if (view.nextHref === null && view.firstHref === null) return null
  return (
    <div class="paging">
      {view.firstHref !== null && (
        <a class="text" href={view.firstHref}>
          {texts.storefront.first}
        </a>
      )}
      {view.nextHref !== null && (
        <a class="second" href={view.nextHref}>
          {texts.storefront.more}
        </a>
      )}
    </div>
  )
}

function OwnAmount({ view, texts }: CheckoutPage<'storefront'>) {
  if (view.ownAmount === null) return null
  const { action, typed, least, most, fault } = view.ownAmount
  const { atLeast, atMost } = texts.storefront
  const hint = fault === 'amount_over' ? atMost(formatShillings(most)) : atLeast(formatShillings(least))
  return (
    <section>
      <h2>{texts.storefront.own}</h2>
      <form method="post" action={action} data-moment={texts.pay.oneMoment}>
        <InputField
          name="amount"
          label={texts.storefront.amount}
          hint={hint}
          fault={fault && texts.faults[fault]}
          class="digits"
          inputmode="numeric"
          autocomplete="off"
          maxlength={16}
          required
          value={typed}
        />
        <button type="submit" class="go">
          {texts.storefront.goOn}
        </button>
      </form>
    </section>
  )
}

function StorefrontQr({ view, texts }: CheckoutPage<'storefront'>) {
  return (
    <section class="share">
      <h2>{texts.storefront.scan}</h2>
      <img src={view.qrSvg} alt={texts.storefront.scanHint} width={QR_SIZE} height={QR_SIZE} loading="lazy" />
      <a class="text" href={view.qrPng} download>
        {texts.storefront.saveQr}
      </a>
    </section>
  )
}
