/**
 * A value that is there already, or a promise of it where it takes long. A promise for each step would cost every payment more than the
 * step.
 */
export type MaybePromise<T> = T | Promise<T>

/** Calls `next` with the value: at once if it is there already, else when the promise resolves. */
export function thenOrNow<T, Next>(value: MaybePromise<T>, next: (value: T) => Promise<Next>): Promise<Next>
export function thenOrNow<T, Next>(value: MaybePromise<T>, next: (value: T) => MaybePromise<Next>): MaybePromise<Next>
export function thenOrNow<T, Next>(value: MaybePromise<T>, next: (value: T) => MaybePromise<Next>): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
