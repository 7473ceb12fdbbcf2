import { mayDo } from '../../../api/access/allow.ts'
import type { GrantedRates, RateName } from '../../../api/rate-limits/rates.ts'
import type { LedgerHead } from '../../../ledger/book.ts'
import type { MerchantMember } from '../../../merchants/people/members.ts'
import type { Charge } from '../../../payments/charges/charge.ts'
import type { OpenedException } from '../../../payments/exceptions/resolve-exception.ts'
import type { Payout } from '../../../payments/payouts/payout.ts'
import { maskPhone } from '../../../platform/text/phone.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Facts, formatPageTime, OutsideText, Section, Status, Time, Money as Ugx } from '../../parts/parts.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { PARTS } from '../../parts/texts.ts'
import { MERCHANTS } from '../texts/merchants.ts'
import type { ConsoleVisit } from '../visit.ts'
import { MERCHANT_NOTE_FORM } from './merchant-forms.ts'
import { MerchantState } from './merchant-list.tsx'
import type { MerchantPageData } from './merchant-page.tsx'

const { facts, money, people, numbers, latest, exceptions, notes } = MERCHANTS

type MerchantPartProps = { merchantData: MerchantPageData }
type VisitedPartProps = MerchantPartProps & { visit: ConsoleVisit }

const renderLimit = (limit: number | null) => (limit === null ? facts.usual : <Ugx amount={limit} />)

const formatRates = (granted: GrantedRates) =>
  Object.entries(granted)
    .map(([name, limit]) => `${PARTS.rates.names[name as RateName]}: ${limit}`) // The keys are these names.
    .join('; ')

/** The facts of a merchant, and since when its account is inactive or frozen. */
export const MerchantFacts = ({ visit, merchantData: { app, merchant, did, failure } }: VisitedPartProps) => (
  <Section title={facts.title}>
    <Facts
      facts={[
        [facts.id, <code>{merchant.publicId}</code>],
        [facts.handle, merchant.handle],
        merchant.parent === null
          ? [facts.email, <OutsideText text={merchant.email} />]
          : [facts.forTests, <code>{merchant.parent}</code>],
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
          <MerchantState active={merchant.active} account={merchant.account} frozen={did.frozen !== null} />,
        ],
        did.inactive?.since != null && [MERCHANTS.states.inactive, renderSince(did.inactive)],
        did.frozen !== null && [MERCHANTS.states.frozen, renderSince(did.frozen)],
        did.frozen?.until != null && [facts.untilAtMost, <Time at={did.frozen.until} />],
        [facts.settlement, merchant.instantSettlement ? facts.instant : facts.held],
        [facts.vending, merchant.vendingEnabled ? facts.on : facts.off],
        [facts.jams, merchant.autoRefundOnJam],
        [facts.chargeLimit, renderLimit(merchant.chargeLimit)],
        [facts.payoutLimit, renderLimit(merchant.payoutLimit)],
        Object.keys(merchant.rateLimits).length > 0 && [facts.rates, formatRates(merchant.rateLimits)],
        merchant.limitsSetAt !== null && [facts.limitsSet, <Time at={merchant.limitsSetAt} />],
        [facts.webhook, <OutsideText text={merchant.webhookUrl} />],
        failure !== null && [facts.failed, `${failure.event}, ${formatPageTime(failure.createdAt)}`],
        [facts.created, <Time at={merchant.createdAt} day />],
        [facts.cell, app.cell],
      ]}
    />
  </Section>
)

const renderSince = ({ since: at, says }: { since: Date | null; says: string | null }) => (
  <>
    {facts.since} <Time at={at} />
    {says !== null && (
      <>
        , {facts.told}: <OutsideText text={says} />
      </>
    )}
  </>
)

const HEAD_COLUMNS: readonly ListColumn<LedgerHead>[] = [
  { title: money.mode, cell: ({ mode }) => money[mode] },
  column.money(money.available, ({ available }) => available),
  column.money(money.pending, ({ pending }) => pending),
  column.money(money.inFlight, (head) => head.in_flight),
  column.text(money.paused, ({ payoutsPausedBy }) => payoutsPausedBy),
]

/** The balances of the merchant in both modes. */
export const MerchantBalances = ({ merchantData }: MerchantPartProps) => (
  <Section title={money.title}>
    <Table caption={money.title} rows={merchantData.heads} columns={HEAD_COLUMNS} />
  </Section>
)

const MEMBER_COLUMNS: readonly ListColumn<MerchantMember>[] = [
  column.text(people.name, ({ name }) => name),
  column.text(people.email, ({ email }) => email),
  { title: people.role, cell: ({ role }) => role },
  { title: people.factor, cell: ({ hasFactor }) => (hasFactor ? facts.on : facts.off) },
  column.time(people.seen, ({ seenAt }) => seenAt),
]

/** The people of the merchant. */
export const MerchantPeople = ({ merchantData }: MerchantPartProps) => (
  <Section title={people.title}>
    {merchantData.people.length === 0 ? (
      <Empty title={people.none} />
    ) : (
      <Table caption={people.title} rows={merchantData.people} columns={MEMBER_COLUMNS} />
    )}
  </Section>
)

/** The number to which the merchant withdraws, masked. The page on which staff verify it shows the whole number. */
export const WithdrawalNumberSection = ({ merchantData: { number } }: MerchantPartProps) => (
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

type LatestRow = Pick<Charge | Payout, 'id' | 'amount' | 'status' | 'createdAt'>
const LATEST_COLUMNS: readonly ListColumn<LatestRow>[] = [
  { title: latest.id, cell: ({ id }) => id },
  column.money(latest.amount, ({ amount }) => amount),
  column.status(latest.status, ({ status }) => status),
  column.time(latest.at, ({ createdAt }) => createdAt),
]

/** The newest charges and payouts, each with a link to its story. */
export const LatestPayments = ({ visit, merchantData: { charges, payouts } }: VisitedPartProps) => (
  <>
    {[
      { title: latest.charges, rows: charges.data as readonly LatestRow[] },
      { title: latest.payouts, rows: payouts.data as readonly LatestRow[] },
    ].map(({ title, rows }) => (
      <Section title={title}>
        {rows.length === 0 ? (
          <p class="quiet">{latest.none}</p>
        ) : (
          <Table caption={title} rows={rows} columns={LATEST_COLUMNS} href={({ id }) => visit.to(`/payments/${id}`)} />
        )}
      </Section>
    ))}
  </>
)

const MAX_EXCEPTIONS_SHOWN = 20
const EXCEPTION_COLUMNS: readonly ListColumn<OpenedException>[] = [
  { title: exceptions.kind, cell: ({ kind }) => kind.replaceAll('_', ' ') },
  { title: exceptions.severity, cell: ({ severity }) => severity },
  column.text(exceptions.subject, ({ subject }) => subject),
  column.time(exceptions.since, ({ openedAt }) => openedAt),
]

/** The open exceptions of the merchant. */
export const MerchantExceptions = ({ visit, merchantData }: VisitedPartProps) => (
  <Section title={exceptions.title}>
    {merchantData.exceptions.length === 0 ? (
      <p class="quiet">{exceptions.none}</p>
    ) : (
      <Table
        caption={exceptions.title}
        rows={merchantData.exceptions.slice(0, MAX_EXCEPTIONS_SHOWN)}
        columns={EXCEPTION_COLUMNS}
        href={({ id }) => visit.to(`/reconciliation/exceptions/${id}`)}
      />
    )}
  </Section>
)

/** The notes that our staff have written about the merchant, which it never sees. */
export const MerchantNotes = ({ visit, merchantData, state }: VisitedPartProps & { state: FormState | null }) => (
  <Section title={notes.title}>
    <p class="quiet">{notes.lead}</p>
    {merchantData.notes.length === 0 && <p class="quiet">{notes.none}</p>}
    {merchantData.notes.map(({ says, at, by }) => (
      <blockquote class="quote">
        <p>{says}</p>
        <p class="hint">
          {notes.by(oneLine(by))}, <Time at={at} />
        </p>
      </blockquote>
    ))}
    <FormBox of={MERCHANT_NOTE_FORM} visit={visit} state={state} params={{ id: merchantData.merchant.publicId }} />
  </Section>
)
