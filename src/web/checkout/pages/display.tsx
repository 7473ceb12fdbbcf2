import { oneLine } from '../../../platform/text/text.ts'
import { BasicMeta, NoScriptRefresh } from '../../parts/document.tsx'
import { formatShillings, shorten } from '../../parts/wording.ts'
import { CHECKOUT_ASSETS } from '../assets.ts'
import { formatTrouble } from '../display/display-screens.ts'
import { DISPLAY_CSS } from '../styles.ts'
import type { Screen } from '../view.ts'
import type { CheckoutPage } from './page.ts'
import { CheckoutIcon, LargeAmount } from './parts.tsx'

const RELOAD_SECONDS = 3
// The price must be readable from two metres, which leaves this many lines below it.
const PRODUCT_LINES = 2

type CheckoutIconName = Parameters<typeof CheckoutIcon>[0]['name']
const SCREEN_ICONS: Record<Exclude<Screen['name'], 'scan' | 'releasing'>, CheckoutIconName> = {
  paying: 'phone',
  collect: 'done',
  failed: 'fault',
  expired: 'back',
  closed: 'closed',
  off: 'closed',
  unknown: 'closed',
  busy: 'clock',
}

/**
 * The screen of a machine, for browsers as old as the machine: one table, no script needed. The script replaces `main` with
 * that of a newer page.
 */
export function DisplayPage(page: CheckoutPage<'display'>) {
  const { view, setting, texts } = page
  const { watch, screen } = view
  return (
    <html lang={setting.language}>
      <head>
        <BasicMeta />
        <meta name="robots" content="noindex" />
        <title>{chooseHeadline(page)}</title>
        <link rel="icon" type="image/svg+xml" href={CHECKOUT_ASSETS['icon.svg'].href} />
        <style>{DISPLAY_CSS}</style>
        {watch && <NoScriptRefresh seconds={RELOAD_SECONDS} />}
        {watch && <script src={CHECKOUT_ASSETS['display.js'].href} defer />}
      </head>
      <body>
        <main
          id="screen"
          class={screen.name}
          data-state={watch?.url}
          data-every={watch?.everyMs}
          data-seen={watch?.seen}
        >
          {setting.mode === 'test' && (
            <p class="test">
              <b>{texts.test.word}</b> – {texts.test.notice}
            </p>
          )}
          <div class="frame">
            <div class="middle">{screen.name === 'scan' ? <Scan {...page} /> : <Instruction {...page} />}</div>
          </div>
          <p class="offline">{texts.display.offline}</p>
        </main>
      </body>
    </html>
  )
}

/** The code on one side, the products on the other; stacked on a tall screen. */
function Scan({ view, texts, brief }: CheckoutPage<'display'>) {
  const { screen, order } = view
  if (screen.name !== 'scan' || order === null) return null
  return (
    <div class="pair">
      <div class="code">
        <img src={order.qr} alt="QR" />
      </div>
      <div class="says">
        <p class="shop">{brief}</p>
        <h1>{texts.display.scan}</h1>
        <LargeAmount value={order.amount} />
        {!screen.afterFailure && <Products names={order.products} />}
        <p class={screen.afterFailure ? 'how again' : 'how'}>
          {screen.afterFailure ? texts.display.again : texts.display.scanHow}
        </p>
        <TimeLeft seconds={screen.secondsLeft} format={texts.display.left} />
      </div>
    </div>
  )
}

function Products({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null
  const lines = names.length > PRODUCT_LINES ? PRODUCT_LINES - 1 : names.length
  return (
    <p class="goods">
      {names.slice(0, lines).map((name) => (
        <span dir="auto">{shorten(oneLine(name))}</span>
      ))}
      {lines < names.length && <span>+ {names.length - lines}</span>}
    </p>
  )
}

function TimeLeft({ seconds, format }: { seconds: number; format: (time: string) => string }) {
  return (
    <p class="left" id="left" data-left={seconds} data-text={format('{time}')}>
      {format(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`)}
    </p>
  )
}

/** Every screen but the QR code: a sign, a headline with one instruction, and what went wrong. */
function Instruction(page: CheckoutPage<'display'>) {
  const { screen, order } = page.view
  const { display } = page.texts
  const trouble = order === null ? null : formatTrouble(screen, { ...page, shop: page.brief, amount: order.amount })
  const instruction = chooseInstruction(page)
  return (
    <div class={trouble || isDoubted(screen) ? 'told much' : 'told'}>
      <div class="sign">
        {screen.name === 'scan' || screen.name === 'releasing' ? (
          <i class="turning" />
        ) : (
          <CheckoutIcon name={SCREEN_ICONS[screen.name]} />
        )}
      </div>
      <h1>{chooseHeadline(page)}</h1>
      {instruction && <p class="how">{instruction}</p>}
      {trouble && <p class="trouble">{trouble}</p>}
      {order !== null && trouble && (
        <p class="numbers">
          <span>{display.machine(oneLine(order.machine))}</span> <span>{display.order(order.id)}</span>
        </p>
      )}
    </div>
  )
}

/** An unconfirmed delivery also says whom to ask, so its text is as long as that of a failure. */
const isDoubted = (screen: Screen) => screen.name === 'collect' && screen.doubt !== null

function chooseHeadline({ view, texts }: CheckoutPage<'display'>): string {
  const { name } = view.screen
  switch (name) {
    case 'closed':
    case 'unknown':
      return texts.closed[name === 'closed' ? 'inactive' : 'unknown'].title
    case 'scan':
    case 'paying':
    case 'releasing':
    case 'collect':
    case 'failed':
    case 'expired':
    case 'off':
    case 'busy':
      return texts.display[name]
  }
}

function chooseInstruction({ view, texts, brief }: CheckoutPage<'display'>): string | null {
  const { screen, order } = view
  const { display } = texts
  switch (screen.name) {
    case 'paying':
      return order === null ? display.payingHow : `${formatShillings(order.amount)}. ${display.payingHow}`
    case 'releasing':
      return display.releasingHow
    case 'collect':
      if (screen.doubt === 'partly') return null
      return screen.doubt === null ? display.thanks : display.ifNothing(brief)
    case 'expired':
      return display.expiredHow
    case 'closed':
      return texts.closed.inactive.text(brief)
    case 'off':
      return display.offHow(brief)
    case 'unknown':
      return display.expired
    case 'busy':
      return display.busyHow
    case 'scan':
    case 'failed':
      return null
  }
}
