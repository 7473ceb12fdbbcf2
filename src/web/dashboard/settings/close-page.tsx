import {
  type AccountRemainder,
  type ClosingBlocker,
  listClosingBlockers,
  readRemainder,
} from '../../../operations/closing/account-remainder.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { type Fact, Facts, Money, Note, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { CLOSING as WORDS } from '../texts/closing.ts'
import type { DashboardVisit } from '../visit.ts'

export const CLOSE_PATH = '/settings/close'

export const CLOSE_ACCOUNT: FormSpec = {
  path: CLOSE_PATH,
  action: 'merchant.close',
  fields: [{ name: 'handle', label: '', maxLength: 30 }],
  submit: WORDS.ask.submit,
  danger: true,
}
export const KEEP_ACCOUNT: FormSpec = {
  path: `${CLOSE_PATH}/keep`,
  action: 'merchant.close',
  fields: [],
  submit: WORDS.closing.keep,
}

type ClosingProps = { visit: DashboardVisit; left: AccountRemainder; state: FormState | null }

/** Shows what closing the account does, how far it is, and the form that stops it. */
export async function showClosing(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, merchant } = visit
  const left = await readRemainder(app, merchant)
  const props = { visit, left, state }
  return pageReply(
    WORDS.title,
    <>
      <h1>{merchant.account === 'open' ? WORDS.title : WORDS[merchant.account].title}</h1>
      {merchant.account === 'open' && <BeforeClosing {...props} />}
      {merchant.account === 'closing' && <WhileClosing {...props} />}
      {merchant.account === 'closed' && <AfterClosing visit={visit} />}
    </>,
    { status: state?.status ?? 200 },
  )
}

const BeforeClosing = ({ visit, left, state }: ClosingProps) => (
  <>
    <p>{WORDS.lead}</p>
    <Section title={WORDS.happens.title}>
      <ol>
        {WORDS.happens.steps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
    </Section>
    <AccountContents left={left} />
    {visit.merchant.active ? (
      <FormBox of={closeSpec(visit.merchant.handle)} visit={visit} state={state} />
    ) : (
      <Note tone="warn">{WORDS.ask.off}</Note>
    )}
  </>
)

const closeSpec = (handle: string): FormSpec => ({
  ...CLOSE_ACCOUNT,
  fields: [{ name: 'handle', label: WORDS.ask.handle(handle), maxLength: 30 }],
})

function AccountContents({ left }: { left: AccountRemainder }) {
  const { now } = WORDS
  const countFact = (name: string, count: number): Fact | false => count > 0 && [name, String(count)]
  const moneyFact = (name: string, amount: number): Fact | false => amount > 0 && [name, <Money amount={amount} />]
  return (
    <Section title={now.title}>
      <Facts
        facts={[
          [now.available, <Money amount={left.available} />],
          moneyFact(now.pending, left.pending + left.sharesPending),
          moneyFact(now.inFlight, left.inFlight),
          moneyFact(now.shares, left.sharesDue),
          left.sharesStuck > 0 && [
            now.stuck,
            <>
              <Money amount={left.sharesStuck} /> {now.stuckSays}
            </>,
          ],
          countFact(now.open, left.openCharges + left.openTopUps),
          countFact(now.goods, left.openGoods),
          countFact(now.disputes, left.openDisputes),
          countFact(now.schedules, left.schedules),
          left.cards > 0 && [now.cards, now.cardsWorth(String(left.cards), formatShillings(left.cardsWorth))],
          [now.number, <OwnNumber left={left} />],
        ]}
      />
    </Section>
  )
}

const OwnNumber = ({ left: { number } }: { left: AccountRemainder }) =>
  number === null ? (
    <span>{WORDS.now.noNumber}</span>
  ) : (
    <>
      <OutsideText text={number.phone} /> {!number.verified && <Status word={WORDS.now.unverified} tone="open" />}
    </>
  )

function WhileClosing({ visit, left, state }: ClosingProps) {
  const { merchant, app } = visit
  const waits: readonly ClosingBlocker[] = listClosingBlockers(app, merchant, left)
  return (
    <>
      {merchant.closingBy === 'operator' && <p>{WORDS.closing.byUs}</p>}
      {merchant.inactiveFor !== null && <p>{<OutsideText text={merchant.inactiveFor} />}</p>}
      {waits.length === 0 ? (
        <p>{WORDS.closing.soon}</p>
      ) : (
        <>
          <p>{WORDS.closing.takes}</p>
          <ul>
            {waits.map((wait) => (
              <li>{WORDS.waits[wait]}</li>
            ))}
          </ul>
        </>
      )}
      <AccountContents left={left} />
      {merchant.closingBy === 'owner' && <FormBox of={KEEP_ACCOUNT} visit={visit} state={state} />}
    </>
  )
}

const AfterClosing = ({ visit }: { visit: DashboardVisit }) => (
  <>
    <p>
      {WORDS.closed.says} {visit.merchant.closedAt !== null && <Time at={visit.merchant.closedAt} />}
    </p>
    <a href={visit.to('/wallet/statements')} class="button plain">
      {WORDS.closed.statements}
    </a>
  </>
)
