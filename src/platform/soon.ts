/**
 * A value that is there already, or a promise of it where it takes long. A promise for each step would cost every payment more than the
 * step.
 */
export type Soon<T> = T | Promise<T>

/** Calls `next` with the value: at once if it is there already, else when the promise resolves. */
export function soon<T, Next>(value: Soon<T>, next: (value: T) => Promise<Next>): Promise<Next>
export function soon<T, Next>(value: Soon<T>, next: (value: T) => Soon<Next>): Soon<Next>
export function soon<T, Next>(value: Soon<T>, next: (value: T) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
