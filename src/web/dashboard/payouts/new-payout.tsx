import { mayDo } from '../../../api/access/allow.ts'
import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { readBalance } from '../../../ledger/balances.ts'
import { payoutFee } from '../../../ledger/fees.ts'
import { type PayoutCreate, PayoutCreateShape } from '../../../payments/payouts/payout-request.ts'
import { checkPayout } from '../../../payments/payouts/prepared/check-payout.ts'
import { lookUpWallet } from '../../../payments/payouts/resolve-account.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { buildStepAddress, readCarriedStep } from '../../parts/forms/carried-step.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import {
  FieldFault,
  type FormField,
  type FormSpec,
  type FormState,
  type FormValues,
  getAmount,
} from '../../parts/forms/form-spec.ts'
import { Facts, Money, OutsideText, Section } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { PAYOUTS } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'
import { readCheckerAmount, SecondPersonNote } from './second-person.tsx'

const { create } = PAYOUTS

const PAYOUT_FIELDS: FormSpec['fields'] = [
  { name: 'phone', label: create.phone, kind: 'wallet', about: ['recipient.phone', 'phone'] },
  {
    name: 'amount',
    label: create.amount,
    kind: 'amount',
    hint: create.amountHint,
    codes: ['insufficient_balance'],
  },
  { name: 'name', label: create.name, optional: true, maxLength: 200, about: ['recipient.name'] },
  { name: 'reference', label: create.reference, optional: true },
]
const NOTE_FIELD = { name: 'note', label: create.note, optional: true, maxLength: 500 } as const satisfies FormField

/** Checks the payout, and asks the operator whose wallet it is before the money is sent. */
export const CHECK_PAYOUT: FormSpec = {
  path: '/payouts/check',
  action: 'payout.prepare',
  fields: [...PAYOUT_FIELDS, NOTE_FIELD],
  submit: create.check,
}

const payoutForm = (action: FormSpec['action'], submit: string): FormSpec => ({
  path: '/payouts/send',
  action,
  fields: [...PAYOUT_FIELDS, NOTE_FIELD].map((field): FormField => ({ ...field, kind: 'hidden' })),
  submit,
  once: true,
})
/** For people who may send without a second person; it asks for a fresh factor. */
export const SEND_PAYOUT = payoutForm('payout.create', create.send)
/** For accountants, who may only prepare. */
export const PREPARE_PAYOUT: FormSpec = {
  ...payoutForm('payout.prepare', create.prepare),
  path: '/payouts/prepare',
}

/** Shows the first step: the recipient and the amount. */
export async function showNewPayout(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { phone, amount, name, reference, note } = visit.query
  const typed = { phone, amount, name, reference, note }
  const values = Object.fromEntries(Object.entries(typed).map(([field, value]) => [field, value ?? '']))
  const { available } = await readBalance(visit.app.db, visit.merchant.id, visit.mode)
  return pageReply(
    create.title,
    <>
      <h1>{create.title}</h1>
      <Facts facts={[[create.available, <Money amount={Number(available)} />]]} />
      {visit.mode === 'test' && <p class="hint">{create.inTest}</p>}
      <FormBox of={CHECK_PAYOUT} visit={visit} state={state} values={values} />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Parses the fields of the form like the body of a request. Throws Refusal. */
export const parsePayout = (values: FormValues): PayoutCreate =>
  parseBody(PayoutCreateShape, {
    amount: getAmount(values, 'amount'),
    recipient: { phone: values.phone, name: values.name },
    reference: values.reference,
  })

/** Checks the payout and the owner of the wallet, and leads to the second step: what leaves the balance, and the form that sends it. */
export async function checkRecipient(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  const input = parsePayout(values)
  // Before the operator is asked: look-ups are limited, and a payout that cannot be sent needs none.
  await checkPayout(visit.app, { caller: visit.caller, input })
  const holder = await askHolder(visit, input.recipient.phone)
  return redirectDone(await buildStepAddress(visit, CHECK_PAYOUT.path, { values, holder } satisfies CheckedStep))
}

type CheckedStep = { values: FormValues; holder: string }

/** Shows the second step; the first one if the address no longer carries its result. */
export async function showCheckedPayout(visit: DashboardVisit): Promise<SurfaceReply> {
  const step = (await readCarriedStep(visit, CHECK_PAYOUT.path)) as CheckedStep | null // As `checkRecipient` has written it.
  if (step === null) return showNewPayout(visit)
  return showSending(visit, step.values, { holder: step.holder, state: null })
}

/** Asks the operator for the owner of the wallet, and formats the answer. A look-up that is refused is only said to be unanswered. */
async function askHolder({ app, caller }: DashboardVisit, phone: string): Promise<string> {
  try {
    await app.exactWindows.resolve_account.takeNow(caller, app.clock.nowMs())
    const { active, registered_name: name } = await lookUpWallet(app, caller, phone)
    if (!active) throw new FieldFault('phone', create.nobody)
    return name ?? create.noName
  } catch (error) {
    if (error instanceof Refusal) return create.unasked
    throw error
  }
}

/** Shows the second step after a refusal, without asking the operator again. */
export const showRefusedSending = (visit: DashboardVisit, state: FormState): Promise<SurfaceReply> =>
  // Without an amount there is nothing to send: the form did not come from the first step.
  getAmount(state.values, 'amount') === 0
    ? showNewPayout(visit, { ...state, path: CHECK_PAYOUT.path })
    : showSending(visit, state.values, { holder: null, state })

type SendingInput = { holder: string | null; state: FormState | null }

async function showSending(
  visit: DashboardVisit,
  values: FormValues,
  { holder, state }: SendingInput,
): Promise<SurfaceReply> {
  const amount = getAmount(values, 'amount')
  const total = amount + payoutFee(amount)
  const { available } = await readBalance(visit.app.db, visit.merchant.id, visit.mode)
  const { phone, name, reference, note } = values
  const maySendAlone = mayDo(visit.caller, 'payout.create')
  const firstStep = { phone, amount: values.amount, name, reference, note }
  return pageReply(
    create.checkTitle,
    <>
      <h1>{create.checkTitle}</h1>
      <Section title={formatShillings(amount)}>
        <Facts
          facts={[
            holder !== null && [create.holder, <OutsideText text={holder} />],
            [PAYOUTS.facts.phone, <OutsideText text={values.phone ?? ''} />],
            [PAYOUTS.facts.name, <OutsideText text={values.name ?? ''} />],
            [PAYOUTS.facts.reference, <OutsideText text={values.reference ?? ''} />],
            [PAYOUTS.facts.amount, <Money amount={amount} />],
            [PAYOUTS.facts.fee, <Money amount={total - amount} />],
            [create.total, <Money amount={total} />],
            [create.available, <Money amount={Number(available)} />],
          ]}
        />
        <SecondPersonNote {...{ maySendAlone, amount, above: await readCheckerAmount(visit), texts: create }} />
        <FormBox of={maySendAlone ? SEND_PAYOUT : PREPARE_PAYOUT} visit={visit} state={state} values={values} />
        <a class="button plain" href={addressWith(visit.to('/payouts/new'), firstStep)}>
          {create.change}
        </a>
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}
