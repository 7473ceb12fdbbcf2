import { formatShillings } from '../../parts/wording.ts'
import { type CheckoutPage, pathOfPayment } from './page.ts'
import { BackLink, CheckoutIcon, formatPageTitle, LargeAmount, RoundSign } from './parts.tsx'
import { CheckoutShell } from './shell.tsx'

const PROMPT_SECONDS = 60
const RELOAD_SECONDS = 5

/** The page while the prompt is on the phone. It says what appears on the phone and asks for nothing. */
export function WaitingPage(page: CheckoutPage<'waiting'>) {
  const { view, setting, texts, shop } = page
  const still = texts.waiting.still(texts.methods[view.payment.method])
  const headline = view.secondsLeft > 0 ? texts.waiting.title : still
  return (
    <CheckoutShell
      setting={setting}
      title={formatPageTitle(headline, shop)}
      script="wait.js"
      refresh={{ seconds: RELOAD_SECONDS }}
    >
      <div class="sum">
        <RoundSign name={view.secondsLeft > 0 ? 'phone' : 'clock'} tone="beat" />
        <h1 id="headline" data-later={still}>
          {headline}
        </h1>
        <LargeAmount value={view.payment.due} />
        <p class="about">{texts.receipt.to(shop)}</p>
      </div>
      {setting.mode === 'test' && <p class="tip">{texts.waiting.inTest}</p>}
      <Phases {...page} still={still} />
      <a class="text" href={pathOfPayment(view.payment, 'status')}>
        {texts.waiting.check}
      </a>
      <BackLink url={view.cancelUrl} text={texts.backTo(page.brief)} />
    </CheckoutShell>
  )
}

/** The texts during the prompt and after it. Both are in the page, so that the script can switch between them. */
function Phases({ still, ...page }: CheckoutPage<'waiting'> & { still: string }) {
  const { view, texts, brief } = page
  const waits = view.secondsLeft > 0
  return (
    <div class="said" id="wait" data-status={pathOfPayment(view.payment, 'status.json')}>
      <div class="news" role="status">
        <p class="tip" id="long" hidden={waits}>
          <span class="ear">{still}. </span>
          {texts.waiting.mayClose(brief)}
        </p>
      </div>
      {waits && <Steps {...page} />}
      <p class="safe">
        <CheckoutIcon name="lock" />
        <span>{texts.waiting.never}</span>
      </p>
      {waits && <Countdown {...page} />}
    </div>
  )
}

function Steps({ view, texts }: CheckoutPage<'waiting'>) {
  const { payment } = view
  const amount = formatShillings(payment.due)
  return (
    <ol class="steps" id="steps">
      <li>
        <UnbrokenText text={texts.waiting.sends(texts.methods[payment.method], payment.phone)} part={payment.phone} />
      </li>
      <li>
        <UnbrokenText text={texts.waiting.compare(amount)} part={amount} />
      </li>
      <li>{texts.waiting.enterPin(texts.pins[payment.method])}</li>
    </ol>
  )
}

/** A sentence in which a number or an amount is not broken over two lines. */
function UnbrokenText({ text, part }: { text: string; part: string | null }) {
  const at = part === null ? -1 : text.indexOf(part)
  if (part === null || at === -1) return <span>{text}</span>
  return (
    <span>
      {text.slice(0, at)}
      <b class="whole">{part}</b>
      {text.slice(at + part.length)}
    </span>
  )
}

function Countdown({ view, texts }: CheckoutPage<'waiting'>) {
  const secondsLeft = Math.min(PROMPT_SECONDS, Math.ceil(view.secondsLeft))
  return (
    <div class="count" id="count">
      <progress max={PROMPT_SECONDS} value={secondsLeft} aria-hidden="true" />
      <p aria-live="off" data-seconds={secondsLeft} data-text={texts.waiting.secondsLeft('{seconds}')}>
        {texts.waiting.secondsLeft(`${secondsLeft}`)}
      </p>
      <p class="hint">{texts.waiting.nothingCame}</p>
    </div>
  )
}
