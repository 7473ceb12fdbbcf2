import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import type { KeyKind } from '../platform/api-key-format.ts'

/**
 * Refuses whoever may not have a key of this kind in hand. A full key of live mode sends money by itself, so that it is for those alone
 * who may send live money now: owners, and nobody whose money out is held (reliability.md A74), in whichever mode the page stands.
 */
export function allowKind(actor: Actor, { merchantId, kind }: { merchantId: number; kind: KeyKind }): void {
  if (kind === 'live')
    allow(actor.kind === 'person' ? { ...actor, mode: 'live' } : actor, 'key.full', merchantId)
}
