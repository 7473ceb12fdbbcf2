import { oneLine } from '../../../platform/text/text.ts'
import { formatShillings } from '../../parts/wording.ts'
import type { CustomerReportReason } from '../texts/texts.ts'
import type { FormFault } from '../view.ts'
import { type CheckoutPage, pathOfPayment } from './page.ts'
import {
  describeInput,
  FaultMessage,
  Field,
  formatPageTitle,
  formatUgandaTime,
  InputField,
  RoundSign,
} from './parts.tsx'
import { CheckoutShell } from './shell.tsx'

const MAX_DETAILS_LENGTH = 2000
const MAX_CONTACT_LENGTH = 160
const FIELD_FAULTS: readonly (FormFault | null)[] = ['reason', 'details', 'contact']

/** The form in which a customer reports a problem to the merchant. */
export function ReportPage(page: CheckoutPage<'report'>) {
  const { view, setting, texts, shop, brief } = page
  const { report } = texts
  const title = formatPageTitle(report.title, shop)
  const general = view.fault && !FIELD_FAULTS.includes(view.fault) ? texts.faults[view.fault] : null
  return (
    <CheckoutShell setting={setting} title={view.fault ? texts.faultTitle(title) : title} script="pay.js">
      <h1>{report.title}</h1>
      <p class="about">{report.about(formatShillings(view.payment.amount), brief)}</p>
      <Answers {...page} />
      <form method="post" action={pathOfPayment(view.payment, 'report')} data-moment={texts.pay.oneMoment}>
        <FaultMessage text={general} />
        <Reasons {...page} />
        <Details {...page} />
        <Contact {...page} />
        <button type="submit" class="go">
          {report.send}
        </button>
      </form>
      <a class="quiet" href={pathOfPayment(view.payment, 'receipt')}>
        {report.back}
      </a>
    </CheckoutShell>
  )
}

function Reasons({ view, texts }: CheckoutPage<'report'>) {
  const fault = view.fault === 'reason' ? texts.faults.reason : null
  const reasons = Object.keys(texts.report.reasons) as CustomerReportReason[] // Exactly the keys of the record.
  return (
    <fieldset aria-describedby={fault ? 'reason-fault' : undefined}>
      <legend>{texts.report.reason}</legend>
      <FaultMessage text={fault} id="reason-fault" />
      {reasons.map((reason) => (
        <label class="choice">
          <input type="radio" name="reason" value={reason} checked={view.typed.reason === reason} required />
          <span>{texts.report.reasons[reason]}</span>
        </label>
      ))}
    </fieldset>
  )
}

function Details({ view, texts }: CheckoutPage<'report'>) {
  const notes = {
    hint: texts.report.never,
    fault: view.fault === 'details' ? texts.faults.details : null,
  }
  return (
    <Field id="details" label={texts.report.details} {...notes}>
      <textarea
        {...describeInput('details', notes)}
        name="details"
        rows={4}
        maxlength={MAX_DETAILS_LENGTH}
        value={view.typed.details}
      />
    </Field>
  )
}

function Contact({ view, texts, brief }: CheckoutPage<'report'>) {
  return (
    <InputField
      name="contact"
      label={texts.report.contact(brief)}
      fault={view.fault === 'contact' ? texts.faults.contact : null}
      autocomplete="tel"
      maxlength={MAX_CONTACT_LENGTH}
      value={view.typed.contact}
    />
  )
}

/** The shop's answers to earlier reports on this payment, the newest first. */
function Answers({ view, texts, shop }: CheckoutPage<'report'> | CheckoutPage<'reported'>) {
  return (
    <>
      {view.answers.map(({ says, saidAt }) => (
        <section class="said">
          <p class="strong">
            {texts.report.answered(shop)}, {formatUgandaTime(saidAt)}
          </p>
          {says.split('\n').map((line) => (
            <p dir="auto">{oneLine(line)}</p>
          ))}
        </section>
      ))}
    </>
  )
}

/** The thanks for a report, shown also if one was open already: the customer need not know the difference. */
export function ReportedPage(page: CheckoutPage<'reported'>) {
  const { view, setting, texts, shop } = page
  const { report } = texts
  return (
    <CheckoutShell setting={setting} title={formatPageTitle(report.thanks, shop)}>
      <div class="sum">
        <RoundSign name="done" tone="good" />
        <h1>{report.thanks}</h1>
      </div>
      <div class="said">
        <p class="strong">{report.heard(shop)}</p>
        <p>{report.noMoney}</p>
      </div>
      <Answers {...page} />
      <a class="second" href={pathOfPayment(view.payment, 'receipt')}>
        {report.back}
      </a>
    </CheckoutShell>
  )
}
