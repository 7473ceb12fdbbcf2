import { findRequest } from '../../../merchants/request-log/find-requests.ts'
import { notFound } from '../../../platform/refusal.ts'
import { Facts, OutsideText } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith } from '../../parts/table.tsx'
import { ObjectLink } from '../object-link.tsx'
import { REQUESTS } from '../texts/requests.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea } from './developer-tabs.tsx'
import { AnswerStatus, Instant, REQUESTS_PATH } from './requests-page.tsx'

const details = REQUESTS.details
const { outcomes } = REQUESTS
const { facts } = details

/** Shows one request: its route, its answer, and the object that it concerned. */
export async function showRequest(visit: DashboardVisit): Promise<SurfaceReply> {
  const request = await findRequest(visit.app, visit.caller, visit.params.id ?? '')
  if (request === null) throw notFound('request')
  const { code, error, keyOutcome, objectId, ignored } = request
  return pageReply(
    details.title,
    <DeveloperArea visit={visit} at={REQUESTS_PATH} title={`${request.method} ${request.route}`}>
      <Facts
        facts={[
          [facts.status, <AnswerStatus {...request} />],
          error !== null && [facts.error, <OutsideText text={error} />],
          code !== null && [
            facts.code,
            <a href={addressWith(visit.to(REQUESTS_PATH), { code, status: 'refused' })}>{code}</a>,
          ],
          ignored !== null && [facts.ignored, <OutsideText text={ignored} />],
          [facts.at, <Instant at={request.at} />],
          [facts.ms, REQUESTS.ms(request.ms)],
          objectId !== null && [facts.object, <ObjectLink visit={visit} id={objectId} />],
          [facts.outcome, keyOutcome === null ? REQUESTS.noKey : outcomes[keyOutcome]],
          [
            facts.key,
            <a href={addressWith(visit.to(REQUESTS_PATH), { key: request.keyLast4 })}>...{request.keyLast4}</a>,
          ],
          [facts.id, <code>{request.requestId}</code>],
        ]}
      />
      <p>
        <a class="button plain" href={visit.to(REQUESTS_PATH)}>
          {details.back}
        </a>
      </p>
    </DeveloperArea>,
  )
}
