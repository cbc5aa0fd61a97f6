-- Nobody has sent a command yet: the simulation runs while people follow the building, and pauses otherwise.
alter table simulations add column automatic boolean not null default false;
