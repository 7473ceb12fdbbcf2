import { mayDo } from '../../actors/allow.ts'
import type { Charge } from '../../charges/charge.ts'
import type { OpenedException } from '../../exceptions/resolve-exception.ts'
import type { Head } from '../../ledger/book.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormState } from '../../pages/form-spec.ts'
import { Empty, Facts, Said, Section, Status, Time, timeText, Money as Ugx } from '../../pages/parts.tsx'
import { type Column, Table } from '../../pages/table.tsx'
import { PARTS } from '../../pages/texts.ts'
import { shown } from '../../pages/wording.ts'
import type { Payout } from '../../payouts/payout.ts'
import type { Member } from '../../people/members.ts'
import { maskPhone } from '../../platform/phone.ts'
import type { GrantedRates, RateName } from '../../rate-limits/rates.ts'
import { MERCHANTS } from '../texts/merchants.ts'
import type { ConsoleVisit } from '../visit.ts'
import { NOTE } from './merchant-forms.ts'
import { State } from './merchant-list.tsx'
import type { MerchantRead } from './merchant-page.tsx'

const { facts, money, people, numbers, latest, exceptions, notes } = MERCHANTS

type Part = { merchantData: MerchantRead }
type VisitedPart = Part & { visit: ConsoleVisit }

const limitOf = (limit: number | null) => (limit === null ? facts.usual : <Ugx amount={limit} />)

const ratesText = (granted: GrantedRates) =>
  Object.entries(granted)
    .map(([name, limit]) => `${PARTS.rates.names[name as RateName]}: ${limit}`) // The keys are these names.
    .join('; ')

/** The facts of a merchant, and since when its account is inactive or frozen. */
export const MerchantFacts = ({ visit, merchantData: { merchant, did, failure } }: VisitedPart) => (
  <Section title={facts.title}>
    <Facts
      facts={[
        [facts.id, <code>{merchant.publicId}</code>],
        [facts.handle, merchant.handle],
        [facts.email, <Said text={merchant.email} />],
        [
          facts.verification,
          mayDo(visit.caller, 'verification.read') ? (
            <a href={visit.to(`/verification/${merchant.publicId}`)}>
              <Status word={merchant.kycStatus} />
            </a>
          ) : (
            <Status word={merchant.kycStatus} />
          ),
        ],
        [
          facts.state,
          <State active={merchant.active} account={merchant.account} frozen={did.frozen !== null} />,
        ],
        did.inactive?.since != null && [MERCHANTS.states.inactive, since(did.inactive)],
        did.frozen !== null && [MERCHANTS.states.frozen, since(did.frozen)],
        did.frozen?.until != null && [facts.untilAtMost, <Time at={did.frozen.until} />],
        [facts.settlement, merchant.instantSettlement ? facts.instant : facts.held],
        [facts.vending, merchant.vendingEnabled ? facts.on : facts.off],
        [facts.jams, merchant.autoRefundOnJam],
        [facts.chargeLimit, limitOf(merchant.chargeLimit)],
        [facts.payoutLimit, limitOf(merchant.payoutLimit)],
        Object.keys(merchant.rateLimits).length > 0 && [facts.rates, ratesText(merchant.rateLimits)],
        merchant.limitsSetAt !== null && [facts.limitsSet, <Time at={merchant.limitsSetAt} />],
        [facts.webhook, <Said text={merchant.webhookUrl} />],
        failure !== null && [facts.failed, `${failure.event}, ${timeText(failure.createdAt)}`],
        [facts.created, <Time at={merchant.createdAt} day />],
      ]}
    />
  </Section>
)

const since = ({ since: at, says }: { since: Date | null; says: string | null }) => (
  <>
    {facts.since} <Time at={at} />
    {says !== null && (
      <>
        , {facts.told}: <Said text={says} />
      </>
    )}
  </>
)

const HEADS: readonly Column<Head>[] = [
  { title: money.mode, cell: ({ mode }) => money[mode] },
  { title: money.available, cell: ({ available }) => <Ugx amount={available} />, figures: true },
  { title: money.pending, cell: ({ pending }) => <Ugx amount={pending} />, figures: true },
  { title: money.inFlight, cell: (head) => <Ugx amount={head.in_flight} />, figures: true },
  { title: money.paused, cell: ({ payoutsPausedBy }) => <Said text={payoutsPausedBy} /> },
]

/** The balances of the merchant in both modes. */
export const Money = ({ merchantData }: Part) => (
  <Section title={money.title}>
    <Table caption={money.title} rows={merchantData.heads} columns={HEADS} />
  </Section>
)

const MEMBERS: readonly Column<Member>[] = [
  { title: people.name, cell: ({ name }) => <Said text={name} /> },
  { title: people.email, cell: ({ email }) => <Said text={email} /> },
  { title: people.role, cell: ({ role }) => role },
  { title: people.factor, cell: ({ hasFactor }) => (hasFactor ? facts.on : facts.off) },
  { title: people.seen, cell: ({ seenAt }) => <Time at={seenAt} /> },
]

/** The people of the merchant. */
export const People = ({ merchantData }: Part) => (
  <Section title={people.title}>
    {merchantData.people.length === 0 ? (
      <Empty title={people.none} />
    ) : (
      <Table caption={people.title} rows={merchantData.people} columns={MEMBERS} />
    )}
  </Section>
)

/** The number to which the merchant withdraws, masked. The page on which staff verify it shows the whole number. */
export const Numbers = ({ merchantData: { number } }: Part) => (
  <Section title={numbers.title}>
    {number === null ? (
      <p class="quiet">{numbers.none}</p>
    ) : (
      <Facts
        facts={[
          [
            numbers.phone,
            <>
              {maskPhone(number.phone)}{' '}
              <Status
                word={number.verified ? numbers.verified : numbers.waits}
                tone={number.verified ? 'good' : 'open'}
              />
            </>,
          ],
        ]}
      />
    )}
  </Section>
)

type Movement = Pick<Charge | Payout, 'id' | 'amount' | 'status' | 'createdAt'>
const MOVEMENTS: readonly Column<Movement>[] = [
  { title: latest.id, cell: ({ id }) => id },
  { title: latest.amount, cell: ({ amount }) => <Ugx amount={amount} />, figures: true },
  { title: latest.status, cell: ({ status }) => <Status word={status} /> },
  { title: latest.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The newest charges and payouts, each with a link to its story. */
export const Latest = ({ visit, merchantData: { charges, payouts } }: VisitedPart) => (
  <>
    {[
      { title: latest.charges, rows: charges.data as readonly Movement[] },
      { title: latest.payouts, rows: payouts.data as readonly Movement[] },
    ].map(({ title, rows }) => (
      <Section title={title}>
        {rows.length === 0 ? (
          <p class="quiet">{latest.none}</p>
        ) : (
          <Table
            caption={title}
            rows={rows}
            columns={MOVEMENTS}
            href={({ id }) => visit.to(`/payments/${id}`)}
          />
        )}
      </Section>
    ))}
  </>
)

const MOST_EXCEPTIONS = 20
const BREAKS: readonly Column<OpenedException>[] = [
  { title: exceptions.kind, cell: ({ kind }) => kind.replaceAll('_', ' ') },
  { title: exceptions.severity, cell: ({ severity }) => severity },
  { title: exceptions.subject, cell: ({ subject }) => <Said text={subject} /> },
  { title: exceptions.since, cell: ({ openedAt }) => <Time at={openedAt} /> },
]

/** The open exceptions of the merchant. */
export const Exceptions = ({ visit, merchantData }: VisitedPart) => (
  <Section title={exceptions.title}>
    {merchantData.exceptions.length === 0 ? (
      <p class="quiet">{exceptions.none}</p>
    ) : (
      <Table
        caption={exceptions.title}
        rows={merchantData.exceptions.slice(0, MOST_EXCEPTIONS)}
        columns={BREAKS}
        href={({ id }) => visit.to(`/reconciliation/exceptions/${id}`)}
      />
    )}
  </Section>
)

/** The notes that our staff have written about the merchant, which it never sees. */
export const Notes = ({ visit, merchantData, state }: VisitedPart & { state: FormState | null }) => (
  <Section title={notes.title}>
    <p class="quiet">{notes.lead}</p>
    {merchantData.notes.length === 0 && <p class="quiet">{notes.none}</p>}
    {merchantData.notes.map(({ says, at, by }) => (
      <blockquote class="quote">
        <p>{says}</p>
        <p class="hint">
          {notes.by(shown(by))}, <Time at={at} />
        </p>
      </blockquote>
    ))}
    <FormBox of={NOTE} visit={visit} state={state} params={{ id: merchantData.merchant.publicId }} />
  </Section>
)
