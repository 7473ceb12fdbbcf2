-- Acts that a person must hear of are one alert, however many they are. It is told again with each new one: this is the time of the newest.
alter table alerts add column news_at timestamptz;
