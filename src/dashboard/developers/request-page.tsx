import { Facts, Said } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith } from '../../pages/table.tsx'
import { notFound } from '../../platform/refusal.ts'
import { findRequest } from '../../requests/find-requests.ts'
import { ObjectLink } from '../object-link.tsx'
import { REQUESTS } from '../texts/requests.ts'
import type { DashboardVisit } from '../visit.ts'
import { Answered, Instant } from './requests-page.tsx'
import { Area } from './tabs.tsx'

const details = REQUESTS.one
const { outcomes } = REQUESTS
const { facts } = details
const HERE = '/developers/requests'

/** Shows one request: its route, its answer, and the object that it concerned. */
export async function showRequest(visit: DashboardVisit): Promise<Shown> {
  const request = await findRequest(visit.app, visit.caller, visit.params.id ?? '')
  if (request === null) throw notFound('request')
  const { code, error, keyOutcome, objectId } = request
  return shownPage(
    details.title,
    <Area visit={visit} at={HERE} title={`${request.method} ${request.route}`}>
      <Facts
        facts={[
          [facts.status, <Answered {...request} />],
          error !== null && [facts.error, <Said text={error} />],
          code !== null && [
            facts.code,
            <a href={addressWith(visit.to(HERE), { code, status: 'refused' })}>{code}</a>,
          ],
          [facts.at, <Instant at={request.at} />],
          [facts.ms, REQUESTS.ms(request.ms)],
          objectId !== null && [facts.object, <ObjectLink visit={visit} id={objectId} />],
          [facts.outcome, keyOutcome === null ? REQUESTS.noKey : outcomes[keyOutcome]],
          [
            facts.key,
            <a href={addressWith(visit.to(HERE), { key: request.keyLast4 })}>...{request.keyLast4}</a>,
          ],
          [facts.id, <code>{request.requestId}</code>],
        ]}
      />
      <p>
        <a class="button plain" href={visit.to(HERE)}>
          {details.back}
        </a>
      </p>
    </Area>,
  )
}
