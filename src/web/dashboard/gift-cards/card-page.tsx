import { isRestorable, type ListedCardUse, listCardUses } from '../../../payments/gift-cards/card-uses.ts'
import { getCard } from '../../../payments/gift-cards/find-card.ts'
import { cardState, type GiftCard } from '../../../payments/gift-cards/gift-card.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Facts, Money, OutsideText, Section, State, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { GIFT_CARDS } from '../texts/gift-cards.ts'
import type { DashboardVisit } from '../visit.ts'
import { lastValidMoment } from './card-list.tsx'

const { facts, uses } = GIFT_CARDS

const switchForm = (to: 'deactivate' | 'activate'): FormSpec => ({
  path: `/gift-cards/:id/${to}`,
  action: 'card.switch',
  fields: [],
  submit: GIFT_CARDS[to],
  ...(to === 'deactivate' ? { danger: true as const } : {}),
})
export const DEACTIVATE_CARD = switchForm('deactivate')
export const ACTIVATE_CARD = switchForm('activate')
export const RESTORE_TO_CARD: FormSpec = {
  path: '/gift-cards/:id/restore',
  action: 'charge.refund',
  fields: [{ name: 'charge', label: uses.charge, kind: 'select', hint: uses.restoreHint }],
  submit: uses.restore,
  once: true,
}

const USE_COLUMNS: readonly ListColumn<ListedCardUse>[] = [
  { title: uses.charge, cell: ({ chargeId }) => chargeId },
  column.money(uses.amount, ({ amount }) => amount),
  column.money(uses.of, ({ chargeAmount }) => chargeAmount),
  { title: uses.state, cell: ({ state }) => <Status word={uses.states[state]} tone={TONES[state]} /> },
  column.time(uses.when, ({ at }) => at),
]
const TONES = { reserved: 'open', taken: 'good', freed: 'quiet', restored: 'quiet' } as const

/** Shows one card: its balance, what it has paid, its switch, and the form that puts a charge back on it. */
export async function showCard(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, params, now } = visit
  const card = await getCard(app, caller, params.id ?? '')
  const cardUses = await listCardUses(app, caller, card.id)
  const cardStatus = cardState(card, now)
  return pageReply(
    GIFT_CARDS.title,
    <>
      <div class="top">
        <h1>
          <Money amount={card.balance} />
        </h1>
        <State of="card" state={cardStatus} />
      </div>
      <Section title={GIFT_CARDS.about} aside={<code>…{card.last4}</code>}>
        <CardFacts card={card} />
        {cardStatus === 'deactivated' ? (
          <FormBox of={ACTIVATE_CARD} visit={visit} state={state} params={{ id: card.id }} />
        ) : (
          <FormBox of={DEACTIVATE_CARD} visit={visit} state={state} params={{ id: card.id }}>
            <p class="hint">{GIFT_CARDS.deactivateSays}</p>
          </FormBox>
        )}
      </Section>
      <Section title={uses.title} id="uses">
        {cardUses.length === 0 ? (
          <Empty title={uses.none} />
        ) : (
          <Table
            caption={uses.title}
            rows={cardUses}
            columns={USE_COLUMNS}
            href={({ chargeId }) => visit.to(`/charges/${chargeId}`)}
          />
        )}
      </Section>
      <RestoreBox visit={visit} card={card} cardUses={cardUses} state={state} />
    </>,
    { status: state?.status ?? 200 },
  )
}

const CardFacts = ({ card }: { card: GiftCard }) => (
  <Facts
    facts={[
      [facts.value, <Money amount={card.value} />],
      [facts.left, <Money amount={card.balance} />],
      card.reserved > 0 && [facts.reserved, <Money amount={card.reserved} />],
      [facts.expires, <Time at={lastValidMoment(card)} day />],
      [facts.notes, <OutsideText text={card.notes} />],
      [facts.created, <Time at={card.createdAt} />],
    ]}
  />
)

type RestoreProps = {
  visit: DashboardVisit
  card: GiftCard
  cardUses: readonly ListedCardUse[]
  state: FormState | null
}

function RestoreBox({ visit, card, cardUses, state }: RestoreProps) {
  const restorable = cardUses.filter(isRestorable)
  const isRefused = state?.path === RESTORE_TO_CARD.path
  if (restorable.length === 0 && !isRefused) return null
  const choices = restorable.map(({ chargeId, amount }) => ({
    value: chargeId,
    label: uses.choice(chargeId, amount),
  }))
  return (
    <Section title={uses.restoreTitle} id="restore">
      <FormBox
        of={RESTORE_TO_CARD}
        visit={visit}
        state={state}
        params={{ id: card.id }}
        choices={{ charge: choices }}
      />
    </Section>
  )
}
