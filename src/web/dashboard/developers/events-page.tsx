import { EVENT_SAMPLES } from '../../docs/event-samples.ts'
import { CopyBox } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea } from './developer-tabs.tsx'

const { events } = WEBHOOKS

/** Shows every event that a receiver may get, each with a sample body. */
export async function showEvents(visit: DashboardVisit): Promise<SurfaceReply> {
  return pageReply(
    events.title,
    <DeveloperArea visit={visit} at="/developers/events" title={events.title}>
      <p>{events.lead}</p>
      {EVENT_SAMPLES.map(({ event, summary, body }) => (
        <section class="section" id={event}>
          <h2>
            <code>{event}</code>
          </h2>
          <p>{summary}.</p>
          <details class="raw">
            <summary>{events.sample}</summary>
            <CopyBox text={body} label={`${events.sample}: ${event}`} />
          </details>
        </section>
      ))}
    </DeveloperArea>,
  )
}
