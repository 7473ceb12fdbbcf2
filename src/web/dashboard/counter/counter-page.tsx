import { parseListWindow } from '../../../api/http/lists/lists.ts'
import type { Charge } from '../../../payments/charges/charge.ts'
import { NO_CHARGE_FILTERS } from '../../../payments/charges/charge-filters.ts'
import { listCharges } from '../../../payments/charges/find-charges.ts'
import { STATE_WORDS } from '../../../reports/words/states.ts'
import { Money, OutsideText, State, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith } from '../../parts/table.tsx'
import { AskBox, mayAsk } from '../ask/ask-form.tsx'
import { DEVICE_PATH } from '../device/device-path.ts'
import { isReachable } from '../hidden-from-staff.ts'
import { ASK } from '../texts/ask.ts'
import { COUNTER } from '../texts/counter.ts'
import { DEVICE } from '../texts/device.ts'
import type { DashboardVisit } from '../visit.ts'

const PAYMENTS_SHOWN = '12'
const REFRESH_SECONDS = 5

/** Shows the latest payments in large type. A script reloads them, and plays a sound when a payment succeeds or fails. */
export async function showCounter(visit: DashboardVisit): Promise<SurfaceReply> {
  const { data } = await listCharges(visit.app, visit.caller, {
    ...parseListWindow({ limit: PAYMENTS_SHOWN }),
    ...NO_CHARGE_FILTERS,
  })
  const strip = <Strip charges={data} />
  if (visit.part === 'strip') return { kind: 'part', body: strip }
  return pageReply(
    COUNTER.title,
    <>
      <h1>{COUNTER.title}</h1>
      <p class="hint">{COUNTER.lead}</p>
      {mayAsk(visit) && (
        <>
          {/* Without a script the page loads itself again, and would take away what was typed. */}
          <noscript>
            <a class="button" href={visit.to('/ask')}>
              {ASK.button}
            </a>
          </noscript>
          <details class="ask-here" hidden data-scripted>
            <summary class="button">{ASK.button}</summary>
            <AskBox visit={visit} />
          </details>
        </>
      )}
      <div
        class="counter"
        data-counter={addressWith(visit.to('/counter'), { part: 'strip' })}
        data-sound={COUNTER.sound}
        data-sound-on={COUNTER.soundOn}
        data-live-word={COUNTER.live}
        data-stale={COUNTER.stale}
        data-stale-says={COUNTER.staleSays}
      >
        {strip}
      </div>
      {isReachable(visit, DEVICE_PATH) && (
        <p>
          <a href={visit.to(DEVICE_PATH)}>{DEVICE.link}</a>
        </p>
      )}
    </>,
    { scripts: ['sounds.js', 'counter.js', 'ask.js'], refreshSeconds: REFRESH_SECONDS },
  )
}

const Strip = ({ charges }: { charges: readonly Charge[] }) => (
  <ol class="strip" aria-label={COUNTER.list}>
    {charges.length === 0 && <li class="none">{COUNTER.none}</li>}
    {charges.map((charge) => (
      <li data-payment={charge.id} data-state={charge.status} class={STATE_WORDS.charge[charge.status].tone}>
        <span class="big">
          <Money amount={charge.amount} />
        </span>
        <State of="charge" state={charge.status} reason={charge.failureReason} />
        <span>
          {charge.phone === null ? <OutsideText text={charge.reference} /> : COUNTER.ending(charge.phone.slice(-3))}
        </span>
        <Time at={charge.completedAt ?? charge.createdAt} />
      </li>
    ))}
  </ol>
)
