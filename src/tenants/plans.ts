// Plans and their monthly caps (messages per UTC month).
export const plans = {
  test: { monthlyCap: 200 },
  supporter: { monthlyCap: 1_000 },
  termin: { monthlyCap: 5_000 },
  praxis: { monthlyCap: 20_000 },
  gruppe: { monthlyCap: 100_000 },
} as const;

export type Plan = keyof typeof plans;
export const planNames = Object.keys(plans) as [Plan, ...Plan[]];
