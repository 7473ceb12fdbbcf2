import { readFileSync } from 'node:fs'
import { type Fetch, Gateway } from '../../typescript/src/gateway-client.ts'
import type { Environment } from './command.ts'
import { readConfig } from './config.ts'
import { UsageError } from './faults.ts'
import { VERSION } from './version.ts'

/** The gateway as the holder of the key sees it. */
export type Session = { gateway: Gateway; baseUrl: string; isLive: boolean; source: 'environment' | 'login' }

/** How a request of ours was heard. `date`: the clock of the service. */
export type Heard =
  | { kind: 'answered'; status: number; date: string | null; sentMs: number; heardMs: number }
  | { kind: 'silent'; reason: string }

type SessionOptions = { apiKey?: string; baseUrl?: string; watch?: (heard: Heard) => void }

export const LOCAL_GATEWAY = 'http://127.0.0.1:8080'
const LIVE_KEY = /^sk_live_/

/**
 * Opens the session of the key of the environment, or of the login. Throws UsageError where there is none, and where a key of the login
 * would be sent to another address than that which it was stored with.
 */
export function openSession(environment: Environment, { watch, ...given }: SessionOptions = {}): Session {
  const { GATEWAY_API_KEY, GATEWAY_URL, GATEWAY_SIGNING_KEY_FILE } = environment
  const config = given.apiKey === undefined ? readConfig(environment) : {}
  const ownKey = given.apiKey ?? nonEmpty(GATEWAY_API_KEY)
  const apiKey = ownKey ?? config.api_key
  if (apiKey === undefined) throw new UsageError('there is no key: run mmg login, or set GATEWAY_API_KEY')
  const stored = config.base_url ?? LOCAL_GATEWAY
  const baseUrl = (given.baseUrl ?? nonEmpty(GATEWAY_URL) ?? stored).replace(/\/+$/, '')
  if (ownKey === undefined && baseUrl !== stored)
    throw new UsageError(`your login is for ${stored}: for ${baseUrl} set GATEWAY_API_KEY too, or log in there`)
  const signing = nonEmpty(GATEWAY_SIGNING_KEY_FILE)
  const signingKey = signing === undefined ? {} : { signingKey: readSigningKey(signing) }
  const gateway = checked(() => new Gateway({ apiKey, baseUrl, ...signingKey, fetch: watchedFetch(watch) }))
  return { gateway, baseUrl, isLive: LIVE_KEY.test(apiKey), source: ownKey === undefined ? 'login' : 'environment' }
}

const nonEmpty = (text: string | undefined) => (text === '' ? undefined : text)

function readSigningKey(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`GATEWAY_SIGNING_KEY_FILE names ${file}, which cannot be read`)
  }
}

/** What the client refuses to begin with was written wrongly. */
function checked<Made>(make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error
  }
}

const watchedFetch =
  (watch: (heard: Heard) => void = () => {}): Fetch =>
  async (url, init) => {
    const sentMs = Date.now()
    const headers = { ...init.headers, 'user-agent': `gateway-cli/${VERSION}` }
    try {
      const answer = await fetch(url, { ...init, headers })
      const { status } = answer
      watch({ kind: 'answered', status, date: answer.headers.get('date'), sentMs, heardMs: Date.now() })
      return answer
    } catch (error) {
      watch({ kind: 'silent', reason: reasonOf(error) })
      throw new Error(reasonOf(error), { cause: error })
    }
  }

/** `fetch` says only that it failed; why, its cause says. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string }
  return cause?.code ?? cause?.message ?? message
}
