// Whether a webhook or an alert is active, and why it is not. Pure.

/** The address answered that it is gone; it took nothing for too long; a member or the operator disabled it. */
export const disabledReasons = ['gone', 'failing', 'manual'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** The state as the follower's row has it. */
export interface FollowerState {
  status: 'active' | 'disabled';
  disabled_reason: DisabledReason | null;
  disabled_at: number | null;
  /** 0: the owners are not notified yet that it was disabled. */
  disabled_told: 0 | 1;
}

export const active = {
  status: 'active',
  disabled_reason: null,
  disabled_at: null,
  disabled_told: 1,
} as const satisfies FollowerState;

/** A manual disabling needs no notice. */
export const disabledFor = (reason: DisabledReason, now: number): FollowerState => ({
  status: 'disabled',
  disabled_reason: reason,
  disabled_at: now,
  disabled_told: reason === 'manual' ? 1 : 0,
});

export const isUnnotified = <Row extends FollowerState>(row: Row): row is Row & { disabled_at: number } =>
  row.disabled_told === 0 && row.disabled_at !== null;
