import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const longBodyRequests = new WeakMap<Socket, IncomingMessage>()

/**
 * Lets the body of this request take longer than others; its reader decides when it is too slow. Node reports a request that does not
 * arrive in time once (`clientError`), and goes on with it unless the connection is closed.
 */
export function allowLongBody(request: IncomingMessage): void {
  longBodyRequests.set(request.socket, request)
}

/** Whether the body that arrives on this connection now may take long. */
export const isLongBody = (socket: Socket): boolean => longBodyRequests.get(socket)?.complete === false
