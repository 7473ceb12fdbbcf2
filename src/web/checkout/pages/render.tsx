import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { TEXTS } from '../texts/texts.ts'
import type { PageSetting, View } from '../view.ts'
import { ClosedPage } from './closed.tsx'
import { DisplayPage } from './display.tsx'
import { FailedPage } from './failed.tsx'
import { MailsPage } from './invoice.tsx'
import { type CheckoutPage, formatShopNames } from './page.ts'
import { PayPage } from './pay.tsx'
import { ReceiptPage } from './receipt.tsx'
import { ReportedPage, ReportPage } from './report.tsx'
import { StorefrontPage } from './storefront.tsx'
import { WaitingPage } from './waiting.tsx'

const PAGES: { [Kind in View['kind']]: (page: CheckoutPage<Kind>) => VNode } = {
  pay: PayPage,
  waiting: WaitingPage,
  failed: FailedPage,
  receipt: ReceiptPage,
  report: ReportPage,
  reported: ReportedPage,
  mails: MailsPage,
  closed: ClosedPage,
  storefront: StorefrontPage,
  display: DisplayPage,
}

/** A whole HTML document. Input from outside is escaped; only the stylesheet is inline. */
export function renderPage(view: View, setting: PageSetting): string {
  const texts = TEXTS[setting.language]
  // The table holds, under each kind, the page for views of that kind.
  const show = PAGES[view.kind] as (page: CheckoutPage<View['kind']>) => VNode
  return `<!doctype html>${renderToString(show({ view, setting, texts, ...formatShopNames(setting.shop, texts) }))}`
}
