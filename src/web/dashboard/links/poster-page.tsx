import { oneLine } from '../../../platform/text/text.ts'
import { getLink } from '../../../selling/payment-links/find-links.ts'
import { linkUrl } from '../../../selling/payment-links/payment-link.ts'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { showItemList } from '../storefront/item-pages.tsx'
import { POSTER } from '../texts/links.ts'
import type { DashboardVisit } from '../visit.ts'

const SIZES = ['a4', 'a6'] as const

/** The poster of a payment link: its amount, what it is for, its code, and how to pay. */
export async function showLinkPoster(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, params } = visit
  const link = await getLink(app, caller, params.id ?? '')
  return posterPage(visit, {
    back: `/links/${link.id}`,
    here: `/links/${link.id}/poster`,
    amount: formatShillings(link.amount),
    what: link.description,
    code: `/pay/${link.id}/qr.svg`,
    url: linkUrl(link, app.baseUrl),
  })
}

/** The poster of the public page of the shop; in test mode its list, because nobody shall pay test money by a poster. */
export async function showShopPoster(visit: DashboardVisit): Promise<SurfaceReply> {
  if (visit.mode === 'test') return showItemList(visit)
  const { app, merchant } = visit
  return posterPage(visit, {
    back: '/storefront',
    here: '/storefront/poster',
    amount: null,
    what: null,
    code: `/pay/@${merchant.handle}/qr.svg`,
    url: `${app.baseUrl}/pay/@${merchant.handle}`,
  })
}

type PrintedPoster = {
  /** The paths of the page that it belongs to, and its own. */
  back: string
  here: string
  amount: string | null
  what: string | null
  code: string
  url: string
}

function posterPage(visit: DashboardVisit, { back, here, amount, what, code, url }: PrintedPoster): SurfaceReply {
  const size = SIZES.find((one) => one === visit.query.size) ?? 'a4'
  const shop = oneLine(visit.merchant.name)
  return pageReply(
    POSTER.title(shop),
    <>
      <p class="ways on-screen">
        <a href={visit.to(back)}>{POSTER.back}</a>
        {SIZES.map((one) => (
          <a href={`${visit.to(here)}?size=${one}`} aria-current={one === size ? 'true' : undefined}>
            {POSTER.sizes[one]}
          </a>
        ))}
        <span class="hint">{POSTER.says}</span>
      </p>
      <article class={`poster ${size}`}>
        <h1>
          <bdi>{shop}</bdi>
        </h1>
        <p class="pay">{POSTER.pay}</p>
        {amount !== null && <p class="sum">{amount}</p>}
        {what !== null && (
          <p>
            <bdi>{oneLine(what)}</bdi>
          </p>
        )}
        <img src={code} alt={POSTER.qrAlt} width="300" height="300" />
        <p class="url">{url}</p>
        <div class="tongues">
          {POSTER.steps.map(({ language, lines }) => (
            <ol lang={language}>
              {lines.map((line) => (
                <li>{line}</li>
              ))}
            </ol>
          ))}
        </div>
      </article>
    </>,
  )
}
