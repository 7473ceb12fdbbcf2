import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import type { ApiKeyKind } from '../../platform/text/api-key-format.ts'

/**
 * Refuses actors who may not get a key of this kind. A full live key sends money by itself, so only a person who may send live money now
 * gets one: an owner whose money out is not held (reliability.md A74), whichever mode the page shows.
 */
export function allowKeyKind(actor: Actor, { merchantId, kind }: { merchantId: number; kind: ApiKeyKind }): void {
  if (kind === 'live') allow(actor.kind === 'person' ? { ...actor, mode: 'live' } : actor, 'key.full', merchantId)
}
