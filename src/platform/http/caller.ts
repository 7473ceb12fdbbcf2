/** Who calls: established from the bearer key alone. `tag` stands in every id of the merchant. */
export type Caller = {
  merchantId: number
  tag: string
  cell: string
  mode: 'test' | 'live'
  /** collections keys cannot move money out (spec 5.2). */
  scope: 'full' | 'collections'
  keyLast4: string
}

/** An answer whose bytes are final. */
export type Answer = {
  status: number
  body: string
  /** From the store of idempotency keys: sent with `Idempotent-Replayed: true`. */
  replayed?: boolean
  /** The object it is about, for the log. */
  objectId?: string | null
}
