// Whether a follower of events that members have set up, a webhook or an alert, is active, and why it is not. Pure.

/** Its address said that nobody is there any more; it took nothing for too long; somebody wanted it. */
export const disabledReasons = ['gone', 'failing', 'manual'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** As it stands in the follower's row. */
export interface FollowerState {
  status: 'active' | 'disabled';
  disabled_reason: DisabledReason | null;
  disabled_at: number | null;
  /** 0: the owners are still to be told that it has been disabled. */
  disabled_told: 0 | 1;
}

export const active = {
  status: 'active',
  disabled_reason: null,
  disabled_at: null,
  disabled_told: 1,
} as const satisfies FollowerState;

/** Nobody is told of what they wanted themselves. */
export const disabledFor = (reason: DisabledReason, now: number): FollowerState => ({
  status: 'disabled',
  disabled_reason: reason,
  disabled_at: now,
  disabled_told: reason === 'manual' ? 1 : 0,
});
