/** Returns a record with the same names and changed values. */
export function mapValues<Name extends string, Value, Result>(
  record: Readonly<Record<Name, Value>>,
  change: (value: Value, name: Name) => Result,
): Record<Name, Result> {
  const names = Object.keys(record) as Name[] // Object.keys forgets the names that it was given.
  return Object.fromEntries(names.map((name) => [name, change(record[name], name)])) as Record<Name, Result>
}
