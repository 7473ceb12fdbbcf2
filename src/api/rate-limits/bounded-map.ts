/** Stores the value under this key as the newest entry, and drops the oldest entries beyond `most`. */
export function rememberNewest<Key, Value>(
  known: Map<Key, Value>,
  { key, value, most }: { key: Key; value: Value; most: number },
): void {
  known.delete(key)
  known.set(key, value)
  for (const oldest of known.keys()) {
    if (known.size <= most) return
    known.delete(oldest)
  }
}
