// Plans: their monthly caps (mails per UTC month), and which of them have roles of their own making.
export const plans = {
  test: { monthlyCap: 200, customRoles: false },
  supporter: { monthlyCap: 1_000, customRoles: false },
  termin: { monthlyCap: 5_000, customRoles: false },
  praxis: { monthlyCap: 20_000, customRoles: true },
  gruppe: { monthlyCap: 100_000, customRoles: true },
} as const;

export type Plan = keyof typeof plans;
export const planNames = Object.keys(plans) as [Plan, ...Plan[]];
