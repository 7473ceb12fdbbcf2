import { mayDo } from '../../../api/access/allow.ts'
import { type ListedKey, listKeys } from '../../../merchants/account/list-keys.ts'
import { notFound } from '../../../platform/refusal.ts'
import type { ApiKeyKind } from '../../../platform/text/api-key-format.ts'
import type { FormSpec } from '../../parts/forms/form-spec.ts'
import { DEVELOPERS } from '../texts/developers.ts'
import type { DashboardVisit } from '../visit.ts'

const { create, key, kinds, kindHints } = DEVELOPERS

/** Makes another key, with its kind and its name. */
export const NEW_KEY: FormSpec = {
  path: '/developers/keys/new',
  action: 'key.create',
  fields: [
    { name: 'kind', label: create.kind, kind: 'radio' },
    { name: 'name', label: create.name, hint: create.nameHint, maxLength: 60, optional: true },
  ],
  submit: create.submit,
  once: true,
}
/** Makes the second key of a change; its kind is that of the first. */
export const SECOND_KEY: FormSpec = {
  path: '/developers/keys/:id/second',
  action: 'key.create',
  fields: [{ name: 'name', label: create.name, hint: create.nameHint, maxLength: 60, optional: true }],
  submit: create.submit,
  once: true,
}
export const REVEAL_KEY: FormSpec = {
  path: '/developers/keys/:id/reveal',
  action: 'key.reveal',
  fields: [],
  submit: key.reveal.submit,
}
export const REVOKE_KEY: FormSpec = {
  path: '/developers/keys/:id/revoke',
  action: 'key.revoke',
  fields: [],
  submit: key.revoke.submit,
  danger: true,
}
export const SET_KEY_ADDRESSES: FormSpec = {
  path: '/developers/keys/:id/addresses',
  action: 'key.restrict',
  fields: [
    {
      name: 'addresses',
      label: key.addresses.label,
      hint: key.addresses.hint,
      kind: 'lines',
      rows: 4,
      maxLength: 2000,
      optional: true,
    },
  ],
  submit: key.addresses.submit,
}
export const SET_KEY_SIGNERS: FormSpec = {
  path: '/developers/keys/:id/signers',
  action: 'key.restrict',
  fields: [
    {
      name: 'public_keys',
      label: key.signers.label,
      hint: key.signers.hint,
      kind: 'lines',
      rows: 4,
      maxLength: 2000,
      optional: true,
    },
  ],
  submit: key.signers.submit,
}
export const SET_KEY_LIMIT: FormSpec = {
  path: '/developers/keys/:id/limit',
  action: 'key.restrict',
  fields: [{ name: 'limit', label: key.limit.label, hint: key.limit.hint, kind: 'amount', optional: true }],
  submit: key.limit.submit,
}
export const REPLACE_KEYS: FormSpec = {
  path: '/developers/keys/:id/replace',
  action: 'key.rotate',
  fields: [],
  submit: key.leaked.submit,
  once: true,
  danger: true,
}

/** Builds the choices of kinds of keys in this mode that this person may hold. */
export const buildKeyKindChoices = ({ mode, caller }: Pick<DashboardVisit, 'mode' | 'caller'>) =>
  (mode === 'test' ? (['test', 'test_collections'] as const) : (['live', 'live_collections'] as const))
    .filter((kind) => mayHoldKey(caller, kind))
    .map((kind) => ({
      value: kind,
      label: kinds[kind],
      hint: isFullKey(kind) ? kindHints.full : kindHints.collections,
    }))

/** Whether a page offers to make or reveal a key of this kind: a full live one sends money, which is for owners. */
export const mayHoldKey = (caller: DashboardVisit['caller'], kind: ApiKeyKind): boolean =>
  mayDo(caller, 'key.create') && (kind !== 'live' || mayDo(caller, 'key.full'))

export const isFullKey = (kind: ApiKeyKind) => kind === 'test' || kind === 'live'

/** Reads the merchant's keys in the mode of the visit. */
export async function readKeysInMode({ app, merchant, mode }: DashboardVisit): Promise<ListedKey[]> {
  return (await listKeys(app, merchant)).filter(({ kind }) => kind.startsWith(mode))
}

/** Gets the key that the address names, and all keys of its mode. Throws 404. */
export async function getVisitedKey(visit: DashboardVisit): Promise<{ key: ListedKey; keysInMode: ListedKey[] }> {
  const keysInMode = await readKeysInMode(visit)
  const visitedKey = keysInMode.find(({ id }) => id === visit.params.id)
  if (!visitedKey) throw notFound('key')
  return { key: visitedKey, keysInMode }
}
