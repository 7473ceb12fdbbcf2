import { oneLine } from '../../../platform/text/text.ts'
import { storefrontPath } from '../../../selling/storefront/item.ts'
import { formatPageDay } from '../../parts/parts.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { GIFT_CARDS } from '../texts/gift-cards.ts'
import type { DashboardVisit } from '../visit.ts'

const { sheet: words } = GIFT_CARDS

/** A card as it is printed. `code` is known only on the page that answers the issue. */
export type PrintedCard = { code: string; value: number; lastMoment: Date }

// Two columns of four on A4: a card of 93 by 66 mm holds the code in large letters and the steps in three languages.
const CARDS_PER_SHEET = 8

/** Cards to print and cut, so many to an A4 page. A card whose box is not ticked is left out on paper. */
export const CardSheets = ({ visit, cards }: { visit: DashboardVisit; cards: readonly PrintedCard[] }) => (
  <>
    {Array.from({ length: Math.ceil(cards.length / CARDS_PER_SHEET) }, (_, sheet) => (
      <div class="card-sheet">
        {cards.slice(sheet * CARDS_PER_SHEET, (sheet + 1) * CARDS_PER_SHEET).map((card) => (
          <div class="card-place">
            <label class="on-screen">
              <input type="checkbox" checked /> {words.choose(card.code.slice(-4))}
            </label>
            <CardFace visit={visit} card={card} />
          </div>
        ))}
      </div>
    ))}
  </>
)

type CardFaceProps = {
  visit: DashboardVisit
  card: PrintedCard
  /** The word across a card that pays nothing. */
  mark?: string
}

/** One card. Its QR code is the address of the shop: a code that pays is in no address, so it is typed. */
export function CardFace({ visit: { merchant, app }, card: { code, value, lastMoment }, mark }: CardFaceProps) {
  const path = storefrontPath({ ...merchant, mode: 'live' })
  return (
    <article class="gift">
      {mark !== undefined && <p class="mark">{mark}</p>}
      <div class="gift-head">
        <h2>
          <bdi>{oneLine(merchant.name)}</bdi>
        </h2>
        <p class="sum">{formatShillings(value)}</p>
      </div>
      <p class="code">{code}</p>
      <div class="gift-foot">
        <img src={`${path}/qr.svg`} alt={words.qrAlt} width="96" height="96" />
        <ul>
          {words.steps.map(({ language, line }) => (
            <li lang={language}>{line}</li>
          ))}
        </ul>
      </div>
      <p class="small">
        {app.baseUrl.replace(/^https?:\/\//, '')}
        {path} · {words.until(formatPageDay(lastMoment))}
      </p>
    </article>
  )
}
