import { getPayout } from '../../../payments/payouts/find-payouts.ts'
import { AMBIGUOUS_REASON, type Payout, presentPayout } from '../../../payments/payouts/payout.ts'
import { findPreparedOfObject } from '../../../payments/payouts/prepared/find-prepared.ts'
import type { PreparedPayout } from '../../../payments/payouts/prepared/prepared-payout.ts'
import { type PayoutWait, readPayoutWaits } from '../../../payments/payouts/read-payout-waits.ts'
import { formatPhone } from '../../../platform/text/phone.ts'
import type { OperatorState } from '../../../rails/operator-state.ts'
import { type ObjectStory, payoutStory } from '../../../reports/story/story.ts'
import { failureWords } from '../../../reports/words/failures.ts'
import {
  Facts,
  Money,
  Note,
  OutsideText,
  SameByApi,
  Section,
  State,
  Time,
  Timeline,
  type TimelineEntry,
} from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { OperatorNotes, readStatesForMode } from '../operators/operator-notes.tsx'
import { formatRequestExample } from '../request-example.ts'
import { Headline, isUnderWay, LiveStory, storyPage } from '../story/live-story.tsx'
import { buildTimelineEntries, EventsSent, MetadataFacts, MoneyMoved } from '../story/story-parts.tsx'
import { PAYOUTS, PREPARED } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts } = PAYOUTS

type PayoutStoryProps = {
  visit: DashboardVisit
  payout: Payout
  prepared: PreparedPayout | null
  story: ObjectStory
  states: readonly OperatorState[]
  /** Why it is not sent yet; null where it does not wait. */
  wait: PayoutWait | null
}

/** Shows one payout: its facts, what happened, and where it came from. */
export async function showPayout(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller } = visit
  const payout = await getPayout(app, caller, visit.params.id ?? '')
  const prepared = await findPreparedOfObject(app, caller, payout.batchId ?? payout.scheduleId ?? payout.id)
  const states = isUnderWay(payout) ? await readStatesForMode(visit) : []
  const wait = (await readPayoutWaits(app, [payout])).get(payout.id) ?? null
  const props = { visit, payout, prepared, story: await payoutStory(app, caller, payout), states, wait }
  return storyPage(visit, {
    title: PAYOUTS.named(formatShillings(payout.amount), payout.recipientName || formatPhone(payout.recipientPhone)),
    head: (
      <Headline
        amount={payout.amount}
        id={payout.id}
        about={[payout.recipientName || formatPhone(payout.recipientPhone), payout.reference]}
      />
    ),
    ...{ story: <PayoutStory {...props} />, live: isUnderWay(payout) },
    below: (
      <SameByApi
        title={PAYOUTS.curl}
        label={PAYOUTS.curlLabel}
        request={formatCurl(visit, payout)}
        value={presentPayout(payout)}
      />
    ),
  })
}

/** The part of the page that changes while the payout is under way; a script reloads it. */
function PayoutStory({ visit, payout, prepared, story, states, wait }: PayoutStoryProps) {
  return (
    <LiveStory class="story" visit={visit} path={`/payouts/${payout.id}`} live={isUnderWay(payout)}>
      <OperatorNotes states={states} side="disburse" />
      <div class="split">
        <Section title={PAYOUTS.story} aside={<State of="payout" state={payout.status} />}>
          {wait !== null && <WaitNote visit={visit} wait={wait} />}
          {isUnderWay(payout) && wait === null && (
            <Note tone="open">{payout.failureReason === AMBIGUOUS_REASON ? PAYOUTS.doubt : PAYOUTS.underWay}</Note>
          )}
          {payout.status === 'failed' && (
            <Note tone="bad">
              {failureWords('payout', payout.failureReason)?.what} {PAYOUTS.returned}{' '}
              {failureWords('payout', payout.failureReason)?.todo}
            </Note>
          )}
          <Timeline entries={[...buildApprovalEntries(prepared), ...buildTimelineEntries(visit, story)]} />
        </Section>
        <Section title={facts.amount}>
          <PayoutFacts visit={visit} payout={payout} prepared={prepared} />
          <MetadataFacts metadata={payout.metadata} />
        </Section>
      </div>
      <MoneyMoved story={story} />
      <EventsSent visit={visit} story={story} />
    </LiveStory>
  )
}

/** Says why the payout is not sent yet, and where to read more about a stop of the account. */
const WaitNote = ({ visit, wait }: { visit: DashboardVisit; wait: PayoutWait }) => (
  <Note tone="warn">
    {PAYOUTS.waits[wait.kind].says} {PAYOUTS.setAside}{' '}
    {wait.kind !== 'approval' && <a href={visit.to('/wallet')}>{PAYOUTS.whyStopped}</a>}
  </Note>
)

function PayoutFacts({ visit, payout, prepared }: Pick<PayoutStoryProps, 'visit' | 'payout' | 'prepared'>) {
  const link = (path: string, id: string | null) => id !== null && <a href={visit.to(`${path}/${id}`)}>{id}</a>
  const { chargeId, batchId, scheduleId, subaccountId } = payout
  return (
    <Facts
      facts={[
        [facts.amount, <Money amount={payout.amount} />],
        [facts.fee, <Money amount={payout.fee} />],
        [facts.total, <Money amount={payout.amount + payout.fee} />],
        payout.status === 'failed' && [facts.failure, failureWords('payout', payout.failureReason)?.brief],
        [facts.kind, PAYOUTS.kinds[payout.kind]],
        [facts.phone, <OutsideText text={payout.recipientPhone} />],
        [facts.name, <OutsideText text={payout.recipientName} />],
        [facts.reference, <OutsideText text={payout.reference} />],
        chargeId !== null && [facts.charge, link('/charges', chargeId)],
        batchId !== null && [facts.batch, link('/bulk', batchId)],
        scheduleId !== null && [facts.schedule, link('/payroll', scheduleId)],
        subaccountId !== null && [facts.subaccount, link('/subaccounts', subaccountId)],
        prepared !== null && [facts.prepared, link('/payouts/prepared', prepared.id)],
        [facts.sms, <OutsideText text={payout.railTransactionId} />],
        [facts.rail, <OutsideText text={payout.railReference} />],
        [facts.created, <Time at={payout.createdAt} />],
        [facts.completed, <Time at={payout.completedAt} />],
      ]}
    />
  )
}

/** Builds the entries of who prepared the payout and who approved it. */
function buildApprovalEntries(prepared: PreparedPayout | null): TimelineEntry[] {
  if (prepared === null || prepared.decidedAt === null) return []
  return [
    { at: prepared.createdAt, title: `${PREPARED.facts.by} ${prepared.madeName}` },
    {
      at: prepared.decidedAt,
      title: `${PREPARED.facts.decided.approved} ${prepared.decidedName}`,
      tone: 'good',
    },
  ]
}

/** Formats the command that makes a payout like this one. */
function formatCurl(visit: DashboardVisit, { amount, recipientPhone, recipientName, reference }: Payout): string {
  const body = {
    amount,
    recipient: { phone: recipientPhone, ...(recipientName === null ? {} : { name: recipientName }) },
    ...(reference === null ? {} : { reference }),
  }
  return formatRequestExample(visit, { path: '/v1/payouts', body, withKey: true })
}
