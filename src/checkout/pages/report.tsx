import { shown, ugx } from '../../pages/wording.ts'
import type { ReportReason } from '../texts/texts.ts'
import type { FormFault } from '../view.ts'
import { type Page, paymentPath } from './page.ts'
import { describedBy, Fault, Field, InputField, Sign, timeOfUganda, titleOf } from './parts.tsx'
import { Shell } from './shell.tsx'

const DETAILS_LENGTH = 2000
const CONTACT_LENGTH = 160
const OWN_FAULTS: readonly (FormFault | null)[] = ['reason', 'details', 'contact']

/** The form in which a customer reports a problem to the merchant. */
export function ReportPage(page: Page<'report'>) {
  const { view, setting, texts, shop, brief } = page
  const { report } = texts
  const title = titleOf(report.title, shop)
  const general = view.fault && !OWN_FAULTS.includes(view.fault) ? texts.faults[view.fault] : null
  return (
    <Shell setting={setting} title={view.fault ? texts.faultTitle(title) : title} script="pay.js">
      <h1>{report.title}</h1>
      <p class="about">{report.about(ugx(view.payment.amount), brief)}</p>
      <Answers {...page} />
      <form method="post" action={paymentPath(view.payment, 'report')} data-moment={texts.pay.oneMoment}>
        <Fault text={general} />
        <Reasons {...page} />
        <Details {...page} />
        <Contact {...page} />
        <button type="submit" class="go">
          {report.send}
        </button>
      </form>
      <a class="quiet" href={paymentPath(view.payment, 'receipt')}>
        {report.back}
      </a>
    </Shell>
  )
}

function Reasons({ view, texts }: Page<'report'>) {
  const fault = view.fault === 'reason' ? texts.faults.reason : null
  const reasons = Object.keys(texts.report.reasons) as ReportReason[] // Exactly the keys of the record.
  return (
    <fieldset aria-describedby={fault ? 'reason-fault' : undefined}>
      <legend>{texts.report.reason}</legend>
      <Fault text={fault} id="reason-fault" />
      {reasons.map((reason) => (
        <label class="choice">
          <input type="radio" name="reason" value={reason} checked={view.typed.reason === reason} required />
          <span>{texts.report.reasons[reason]}</span>
        </label>
      ))}
    </fieldset>
  )
}

function Details({ view, texts }: Page<'report'>) {
  const notes = {
    hint: texts.report.never,
    fault: view.fault === 'details' ? texts.faults.details : null,
  }
  return (
    <Field id="details" label={texts.report.details} {...notes}>
      <textarea
        {...describedBy('details', notes)}
        name="details"
        rows={4}
        maxlength={DETAILS_LENGTH}
        value={view.typed.details}
      />
    </Field>
  )
}

function Contact({ view, texts, brief }: Page<'report'>) {
  return (
    <InputField
      name="contact"
      label={texts.report.contact(brief)}
      fault={view.fault === 'contact' ? texts.faults.contact : null}
      autocomplete="tel"
      maxlength={CONTACT_LENGTH}
      value={view.typed.contact}
    />
  )
}

/** The shop's answers to earlier reports on this payment, the newest first. */
function Answers({ view, texts, shop }: Page<'report'> | Page<'reported'>) {
  return (
    <>
      {view.answers.map(({ says, saidAt }) => (
        <section class="said">
          <p class="strong">
            {texts.report.answered(shop)}, {timeOfUganda(saidAt)}
          </p>
          {says.split('\n').map((line) => (
            <p dir="auto">{shown(line)}</p>
          ))}
        </section>
      ))}
    </>
  )
}

/** The thanks for a report, shown also if one was open already: the customer need not know the difference. */
export function ReportedPage(page: Page<'reported'>) {
  const { view, setting, texts, shop } = page
  const { report } = texts
  return (
    <Shell setting={setting} title={titleOf(report.thanks, shop)}>
      <div class="sum">
        <Sign name="done" tone="good" />
        <h1>{report.thanks}</h1>
      </div>
      <div class="said">
        <p class="strong">{report.heard(shop)}</p>
        <p>{report.noMoney}</p>
      </div>
      <Answers {...page} />
      <a class="second" href={paymentPath(view.payment, 'receipt')}>
        {report.back}
      </a>
    </Shell>
  )
}
