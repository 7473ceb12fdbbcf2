import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const patient = new WeakMap<Socket, IncomingMessage>()

/**
 * Lets the body of this request take longer than others; its reader decides when it is too slow. Node reports a request that does not
 * arrive in time once (`clientError`), and goes on with it unless the connection is closed.
 */
export function allowLongBody(request: IncomingMessage): void {
  patient.set(request.socket, request)
}

/** Whether the body that arrives on this connection now may take long. */
export const isLongBody = (socket: Socket): boolean => patient.get(socket)?.complete === false
