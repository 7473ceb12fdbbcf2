import type { FastifyRequest } from 'fastify'
import { clientAddress, parseQuery } from '../../../api/http/guards.ts'
import { parseFlash } from '../forms/flash.ts'
import { parseCookies } from './cookies.ts'
import { judgeParams } from './params.ts'
import type { PageRequest, SurfaceEnvironment } from './route.ts'
import type { SurfaceOptions } from './surface.ts'
import { parsePostedForm } from './upload-routes.ts'

const MAX_AGENT_CHARACTERS = 300

/** Reads a request of a surface with its body. Throws 400 if the body is no form, 404 for impossible names in the path, 413. */
export async function readPageRequest(
  request: FastifyRequest,
  options: SurfaceOptions,
  mayCarryFile: boolean,
): Promise<PageRequest> {
  const { headers } = request.raw
  const cookies = parseCookies(headers.cookie)
  const query = parseQuery(request.query)
  const params = request.params as Record<string, string>
  judgeParams(params)
  return {
    gateway: options.gateway(),
    params,
    query,
    ...(await parsePostedForm(request, mayCarryFile)),
    cookies,
    address: clientAddress(request.raw, options.trustedProxies),
    agent: (headers['user-agent'] ?? '').slice(0, MAX_AGENT_CHARACTERS),
    requestId: request.id,
    now: new Date(options.nowMs()),
    here: request.url,
    part: query.part ?? null,
    flash: parseFlash(cookies, options.https),
    https: options.https,
    environment: describeEnvironment(options),
    support: options.support,
  }
}

/** Stands for a request that could not be read, or that came while the database was away, so that an error page can be shown. */
export const emptyPageRequest = (request: FastifyRequest, options: SurfaceOptions): PageRequest => ({
  // The frame of an error page does not use the gateway.
  gateway: null as never,
  ...{ params: {}, query: {}, fields: {}, file: null, cookies: new Map(), address: '', agent: '' },
  ...{ requestId: request.id, now: new Date(options.nowMs()), here: request.url, part: null, flash: null },
  ...{ https: options.https, environment: describeEnvironment(options), support: options.support },
})

const describeEnvironment = ({ environment: name, production, baseUrl }: SurfaceOptions): SurfaceEnvironment => ({
  ...{ name, production, host: new URL(baseUrl()).host },
})
