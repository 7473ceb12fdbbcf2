import type { FastifyRequest } from 'fastify'
import { clientAddress, readQuery } from '../http/guards.ts'
import { readCookies } from './cookies.ts'
import { readFlash } from './flash.ts'
import { judgeParams } from './params.ts'
import type { Asked, Environment } from './route.ts'
import type { SurfaceOptions } from './surface.ts'
import { readPosted } from './upload-routes.ts'

const LONGEST_AGENT = 300

/** Reads a request of a surface with its body. Throws 400 if the body is no form, 404 for impossible names in the path, 413. */
export async function readAsked(
  request: FastifyRequest,
  options: SurfaceOptions,
  mayCarryFile: boolean,
): Promise<Asked> {
  const { headers } = request.raw
  const cookies = readCookies(headers.cookie)
  const query = readQuery(request.query)
  const params = request.params as Record<string, string>
  judgeParams(params)
  return {
    gateway: options.gateway(),
    params,
    query,
    ...(await readPosted(request, mayCarryFile)),
    cookies,
    address: clientAddress(request.raw, options.trustedProxies),
    agent: (headers['user-agent'] ?? '').slice(0, LONGEST_AGENT),
    requestId: request.id,
    now: new Date(options.nowMs()),
    here: request.url,
    part: query.part ?? null,
    flash: readFlash(cookies, options.https),
    https: options.https,
    environment: environmentOf(options),
  }
}

/** Stands for a request that could not be read, or that came while the database was away, so that an error page can be shown. */
export const askedNothing = (request: FastifyRequest, options: SurfaceOptions): Asked => ({
  // The frame of an error page does not use the gateway.
  gateway: null as never,
  ...{ params: {}, query: {}, fields: {}, file: null, cookies: new Map(), address: '', agent: '' },
  ...{ requestId: request.id, now: new Date(options.nowMs()), here: request.url, part: null, flash: null },
  ...{ https: options.https, environment: environmentOf(options) },
})

const environmentOf = ({ environment: name, production, baseUrl }: SurfaceOptions): Environment => ({
  ...{ name, production, host: new URL(baseUrl()).host },
})
