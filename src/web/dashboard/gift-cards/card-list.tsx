import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { listCardPage } from '../../../payments/gift-cards/find-card.ts'
import { cardState, type GiftCard } from '../../../payments/gift-cards/gift-card.ts'
import type { IssuedCard } from '../../../payments/gift-cards/issue-cards.ts'
import { addMs } from '../../../platform/time/clock.ts'
import { column } from '../../parts/columns.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { CopyBox, Note, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn } from '../../parts/table.tsx'
import { addressIn } from '../addresses.ts'
import { createPage, NewButton } from '../lists/create-page.tsx'
import { GIFT_CARDS } from '../texts/gift-cards.ts'
import type { DashboardVisit } from '../visit.ts'
import { CardFace, CardSheets, type PrintedCard } from './card-sheet.tsx'

const { columns, issue } = GIFT_CARDS
const YEAR_MS = 365 * 86_400_000

export const ISSUE_CARDS: FormSpec = {
  path: '/gift-cards/issue',
  action: 'card.issue',
  fields: [
    { name: 'value', label: issue.value, kind: 'amount' },
    { name: 'quantity', label: issue.quantity, kind: 'number', hint: issue.quantityHint },
    { name: 'expires', label: issue.expires, kind: 'date', hint: issue.expiresHint, optional: true },
    {
      name: 'notes',
      label: issue.notes,
      kind: 'lines',
      rows: 2,
      maxLength: 1000,
      hint: issue.notesHint,
      optional: true,
    },
  ],
  submit: issue.submit,
  once: true,
}

/** The last moment at which a card pays: the end of its last day. */
export const lastValidMoment = ({ expiresAt }: Pick<GiftCard, 'expiresAt'>) => new Date(expiresAt.getTime() - 1)

const columnsAt = (now: Date): readonly ListColumn<GiftCard>[] => [
  { title: columns.last4, cell: ({ last4 }) => columns.ending(last4), at: 'who' },
  column.what(columns.notes, ({ notes }) => notes),
  column.money(columns.value, ({ value }) => value),
  column.amount(columns.left, ({ balance }) => balance),
  column.state(columns.state, 'card', (card) => ({ status: cardState(card, now) })),
  { ...column.day(columns.expires, (card: GiftCard) => lastValidMoment(card)), at: 'when' },
  column.id(),
]

const showIssueForm = createPage(ISSUE_CARDS, () => ({ title: issue.title, values: { quantity: '1' } }))

/** Shows the form that issues cards; in test mode what they are. */
export const showIssuing = async (visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> =>
  visit.mode === 'test' ? showCards(visit, state) : showIssueForm(visit, state)

/** Lists the gift cards; in test mode says what they are. */
export async function showCards(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  if (visit.mode === 'test')
    return pageReply(
      GIFT_CARDS.title,
      <>
        <h1>{GIFT_CARDS.title}</h1>
        <p>{GIFT_CARDS.inTest.says}</p>
        <p>
          <a class="button" href={addressIn('live', '/gift-cards', visit.base)}>
            {GIFT_CARDS.inTest.toLive}
          </a>
        </p>
        <Section title={GIFT_CARDS.inTest.example}>
          <CardFace visit={visit} card={exampleCard(visit.now)} mark={GIFT_CARDS.inTest.mark} />
        </Section>
      </>,
      { status: state?.status ?? 200 },
    )
  const { app, caller, query, now } = visit
  const window = { ...parseListWindow(buildPageQuery(query)), endingBefore: query.before ?? null }
  const page = await listCardPage(app, caller, window)
  return listPage({
    title: GIFT_CARDS.title,
    ...{ rows: page.data, columns: columnsAt(now), href: ({ id }: GiftCard) => visit.to(`/gift-cards/${id}`) },
    ...{ here: visit.to('/gift-cards'), query, cursors: cursorsOf(page), state },
    empty: GIFT_CARDS.empty,
    head: (
      <div class="top">
        <h1>{GIFT_CARDS.title}</h1>
        <NewButton visit={visit} of={ISSUE_CARDS}>
          {issue.title}
        </NewButton>
      </div>
    ),
  })
}

// A code of the shop has no zeros, so nobody can have this one.
const exampleCard = (now: Date): PrintedCard => ({
  ...{ code: '0000-0000-0000', value: 20_000, lastMoment: addMs(now, YEAR_MS) },
})

/** Shows the codes of new cards, and the cards to print: the only time that they are shown. */
export const showIssuedCards = (visit: DashboardVisit, cards: readonly IssuedCard[]): SurfaceReply =>
  pageReply(
    GIFT_CARDS.issued.title,
    <>
      <div class="on-screen">
        <h1>{GIFT_CARDS.issued.title}</h1>
        <Note tone="warn">
          <p>{GIFT_CARDS.issued.says}</p>
          <p>{GIFT_CARDS.issued.print}</p>
        </Note>
        <CopyBox
          label={GIFT_CARDS.issued.codes}
          text={cards.map(({ code, value }) => `${code}  ${value}`).join('\n')}
        />
        <p>
          <a href={visit.to('/gift-cards')}>{GIFT_CARDS.issued.back}</a>
        </p>
      </div>
      <CardSheets
        visit={visit}
        cards={cards.map(({ code, value, expires_at }) => ({
          ...{ code, value, lastMoment: lastValidMoment({ expiresAt: new Date(expires_at) }) },
        }))}
      />
    </>,
  )
