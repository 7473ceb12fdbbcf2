import { CannotStart } from '../../processes/cannot-start.ts'
import { sqlState } from '../errors.ts'
import type { ServerPlace } from './server-address.ts'

// What Node calls a certificate of the server that it does not believe.
const NOT_TRUSTED = /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|INVALID_CA)/
const WRONG_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID'
const WITHOUT_TLS = 'The server does not support SSL connections'
// No such login, a wrong password, or no line of pg_hba.conf for it.
const REFUSES_LOGIN = /^28/

/** Says in a sentence why a server, or its certificate, refused a connection where somebody has to change something. Other errors stay as they are. */
export function explainRefusal(error: unknown, { host, port }: ServerPlace): unknown {
  const sentence = error instanceof Error ? describeRefusal(error, `the database server ${host}:${port}`) : null
  return sentence === null ? error : new CannotStart(sentence, { cause: error })
}

function describeRefusal(error: Error, server: string): string | null {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (REFUSES_LOGIN.test(sqlState(error) ?? '')) return `${server} refuses this login: ${error.message}`
  if (code === WRONG_NAME)
    return `${server} shows a certificate for another name: ${error.message}. The address, and pg_dist_node of a cluster, must call it by a name in its certificate`
  if (NOT_TRUSTED.test(code))
    return `the certificate of ${server} is not trusted: ${error.message}. Where an authority of your own has signed it, add sslrootcert=FILE to the address, with the certificate of that authority`
  if (error.message === WITHOUT_TLS) return `${server} has no TLS, and sslmode of the address asks for it (ssl = on)`
  return null
}
